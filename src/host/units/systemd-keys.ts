// Made by scripts/systemd-keys.mjs from the lists of systemd itself (Debian's bookworm, bullseye, sid, trixie). Don't
// edit.

/** What units that run programs have in common. */
const running = `AllowedCPUs AllowedMemoryNodes AmbientCapabilities AppArmorProfile BPFDelegateAttachments BPFDelegateCommands
    BPFDelegateMaps BPFDelegatePrograms BPFProgram BindLogSockets BindNetworkInterface BindPaths BindReadOnlyPaths
    BlockIOAccounting BlockIODeviceWeight BlockIOReadBandwidth BlockIOWeight BlockIOWriteBandwidth CPUAccounting
    CPUAffinity CPUPressureThresholdSec CPUPressureWatch CPUQuota CPUQuotaPeriodSec CPUSchedulingPolicy
    CPUSchedulingPriority CPUSchedulingResetOnFork CPUSetPartition CPUShares CPUWeight CacheDirectory
    CacheDirectoryAccounting CacheDirectoryMode CacheDirectoryQuota CapabilityBoundingSet ConfigurationDirectory
    ConfigurationDirectoryMode CoredumpFilter CoredumpReceive DefaultMemoryLow DefaultMemoryMin
    DefaultStartupMemoryLow Delegate DelegateNamespaces DelegateSubgroup DeviceAllow DevicePolicy
    DisableControllers DynamicUser Environment EnvironmentFile ExecPaths ExecSearchPath ExtensionDirectories
    ExtensionImagePolicy ExtensionImages FinalKillSignal Group IOAccounting IODeviceLatencyTargetSec IODeviceWeight
    IOPressureThresholdSec IOPressureWatch IOReadBandwidthMax IOReadIOPSMax IOSchedulingClass IOSchedulingPriority
    IOWeight IOWriteBandwidthMax IOWriteIOPSMax IPAccounting IPAddressAllow IPAddressDeny IPCNamespacePath
    IPEgressFilterPath IPIngressFilterPath IgnoreSIGPIPE ImportCredential InaccessibleDirectories InaccessiblePaths
    KeyringMode KillMode KillSignal LimitAS LimitCORE LimitCPU LimitDATA LimitFSIZE LimitLOCKS LimitMEMLOCK
    LimitMSGQUEUE LimitNICE LimitNOFILE LimitNPROC LimitRSS LimitRTPRIO LimitRTTIME LimitSIGPENDING LimitSTACK
    LoadCredential LoadCredentialEncrypted LockPersonality LogExtraFields LogFilterPatterns LogLevelMax
    LogNamespace LogRateLimitBurst LogRateLimitIntervalSec LogsDirectory LogsDirectoryAccounting LogsDirectoryMode
    LogsDirectoryQuota ManagedOOMMemoryPressure ManagedOOMMemoryPressureDurationSec ManagedOOMMemoryPressureLimit
    ManagedOOMMemoryPressureLimitPercent ManagedOOMPreference ManagedOOMSwap MemoryAccounting
    MemoryDenyWriteExecute MemoryHigh MemoryKSM MemoryLimit MemoryLow MemoryMax MemoryMin
    MemoryPressureThresholdSec MemoryPressureWatch MemorySwapMax MemoryTHP MemoryZSwapMax MemoryZSwapWriteback
    MountAPIVFS MountFlags MountImagePolicy MountImages NFTSet NUMAMask NUMAPolicy NetworkNamespacePath Nice
    NoExecPaths NoNewPrivileges OOMRules OOMScoreAdjust PAMName PassEnvironment Personality PrivateBPF
    PrivateDevices PrivateIPC PrivateMounts PrivateNetwork PrivatePIDs PrivateTmp PrivateUsers ProcSubset
    ProtectClock ProtectControlGroups ProtectHome ProtectHostname ProtectKernelLogs ProtectKernelModules
    ProtectKernelTunables ProtectProc ProtectSystem ReadOnlyDirectories ReadOnlyPaths ReadWriteDirectories
    ReadWritePaths RemoveIPC RestartKillSignal RestrictAddressFamilies RestrictFileSystems RestrictNamespaces
    RestrictNetworkInterfaces RestrictRealtime RestrictSUIDSGID RootDirectory RootEphemeral RootHash
    RootHashSignature RootImage RootImageOptions RootImagePolicy RootMStack RootVerity RuntimeDirectory
    RuntimeDirectoryMode RuntimeDirectoryPreserve SELinuxContext SecureBits SendSIGHUP SendSIGKILL SetCredential
    SetCredentialEncrypted SetLoginEnvironment Slice SmackProcessLabel SocketBindAllow SocketBindDeny StandardError
    StandardInput StandardInputData StandardInputText StandardOutput StartupAllowedCPUs StartupAllowedMemoryNodes
    StartupBlockIOWeight StartupCPUShares StartupCPUWeight StartupIOWeight StartupMemoryHigh StartupMemoryLow
    StartupMemoryMax StartupMemorySwapMax StartupMemoryZSwapMax StateDirectory StateDirectoryAccounting
    StateDirectoryMode StateDirectoryQuota SupplementaryGroups SyslogFacility SyslogIdentifier SyslogLevel
    SyslogLevelPrefix SystemCallArchitectures SystemCallErrorNumber SystemCallFilter SystemCallLog TTYColumns
    TTYPath TTYReset TTYRows TTYVHangup TTYVTDisallocate TasksAccounting TasksMax TemporaryFileSystem
    TimeoutCleanSec TimeoutSec TimerSlackNSec UMask UnsetEnvironment User UserNamespacePath UtmpIdentifier UtmpMode
    WatchdogSignal WorkingDirectory`;

/** Every key that systemd reads, or ever read, by section. */
export const systemdKeys: Readonly<Record<string, string>> = {
  Unit: `After AllowIsolate AssertACPower AssertArchitecture AssertCPUFeature AssertCPUPressure AssertCPUs
    AssertCapability AssertControlGroupController AssertCredential AssertDirectoryNotEmpty AssertEnvironment
    AssertFileIsExecutable AssertFileNotEmpty AssertFirstBoot AssertFraction AssertGroup AssertHost
    AssertIOPressure AssertKernelCommandLine AssertKernelModuleLoaded AssertKernelVersion AssertMachineTag
    AssertMemory AssertMemoryPressure AssertNeedsUpdate AssertOSRelease AssertPathExists AssertPathExistsGlob
    AssertPathIsDirectory AssertPathIsEncrypted AssertPathIsMountPoint AssertPathIsReadWrite AssertPathIsSocket
    AssertPathIsSymbolicLink AssertSecurity AssertUser AssertVersion AssertVirtualization Before BindTo BindsTo
    CollectMode ConditionACPower ConditionArchitecture ConditionCPUFeature ConditionCPUPressure ConditionCPUs
    ConditionCapability ConditionControlGroupController ConditionCredential ConditionDirectoryNotEmpty
    ConditionEnvironment ConditionFileIsExecutable ConditionFileNotEmpty ConditionFirmware ConditionFirstBoot
    ConditionFraction ConditionGroup ConditionHost ConditionIOPressure ConditionKernelCommandLine
    ConditionKernelModuleLoaded ConditionKernelVersion ConditionMachineTag ConditionMemory ConditionMemoryPressure
    ConditionNeedsUpdate ConditionOSRelease ConditionPathExists ConditionPathExistsGlob ConditionPathIsDirectory
    ConditionPathIsEncrypted ConditionPathIsMountPoint ConditionPathIsReadWrite ConditionPathIsSocket
    ConditionPathIsSymbolicLink ConditionSecurity ConditionUser ConditionVersion ConditionVirtualization Conflicts
    DefaultDependencies Description Documentation FailureAction FailureActionExitStatus IgnoreOnIsolate
    JobRunningTimeoutSec JobTimeoutAction JobTimeoutRebootArgument JobTimeoutSec JoinsNamespaceOf OnFailure
    OnFailureIsolate OnFailureJobMode OnSuccess OnSuccessJobMode PartOf PropagateReloadFrom PropagateReloadTo
    PropagatesReloadTo PropagatesStopTo RebootArgument RefuseManualStart RefuseManualStop ReloadPropagatedFrom
    Requires RequiresMountsFor RequiresOverridable Requisite RequisiteOverridable SourcePath StartLimitAction
    StartLimitBurst StartLimitInterval StartLimitIntervalSec StopPropagatedFrom StopWhenUnneeded SuccessAction
    SuccessActionExitStatus SurviveFinalKillSignal Upholds Wants WantsMountsFor`,
  Install: `Alias Also DefaultInstance RequiredBy UpheldBy WantedBy`,
  Service: `${running} BusName ExecCondition ExecReload ExecReloadPost ExecStart ExecStartPost ExecStartPre ExecStop ExecStopPost
    ExitType FailureAction FileDescriptorStoreMax FileDescriptorStorePreserve GuessMainPID LUOSession NonBlocking
    NotifyAccess OOMPolicy OpenFile PIDFile PermissionsStartOnly RebootArgument RefreshOnReload ReloadSignal
    RemainAfterExit Restart RestartForceExitStatus RestartMaxDelaySec RestartMode RestartPreventExitStatus
    RestartRandomizedDelaySec RestartSec RestartSteps RootDirectoryStartOnly RuntimeMaxSec
    RuntimeRandomizedExtraSec Sockets StartLimitAction StartLimitBurst StartLimitInterval SuccessExitStatus
    TimeoutAbortSec TimeoutStartFailureMode TimeoutStartSec TimeoutStopFailureMode TimeoutStopSec Type
    USBFunctionDescriptors USBFunctionStrings WatchdogSec`,
  Socket: `${running} Accept AcceptFileDescriptors Backlog BindIPv6Only BindToDevice Broadcast DeferAcceptSec DeferTrigger
    DeferTriggerMaxSec DirectoryMode ExecStartPost ExecStartPre ExecStopPost ExecStopPre FileDescriptorName
    FlushPending FreeBind IPTOS IPTTL KeepAlive KeepAliveIntervalSec KeepAliveProbes KeepAliveTimeSec
    ListenDatagram ListenFIFO ListenMessageQueue ListenNetlink ListenSequentialPacket ListenSpecial ListenStream
    ListenUSBFunction Mark MaxConnections MaxConnectionsPerSource MessageQueueMaxMessages MessageQueueMessageSize
    NoDelay PassCredentials PassFileDescriptorsToExec PassPIDFD PassPacketInfo PassSecurity PipeSize PollLimitBurst
    PollLimitIntervalSec Priority ReceiveBuffer RemoveOnStop ReusePort SELinuxContextFromNet SendBuffer Service
    SmackLabel SmackLabelIPIn SmackLabelIPOut SocketGroup SocketMode SocketProtocol SocketUser Symlinks
    TCPCongestion Timestamping Transparent TriggerLimitBurst TriggerLimitIntervalSec Writable XAttrAccept
    XAttrEntryPoint XAttrListen`,
  Mount: `${running} DirectoryMode ForceUnmount LazyUnmount Options ReadWriteOnly SloppyOptions Type What Where`,
  Timer: `AccuracySec DeferReactivation FixedRandomDelay OnActiveSec OnBootSec OnCalendar OnClockChange OnStartupSec
    OnTimezoneChange OnUnitActiveSec OnUnitInactiveSec Persistent RandomizedDelaySec RandomizedOffsetSec
    RemainAfterElapse Unit WakeSystem`,
  Path: `DirectoryMode DirectoryNotEmpty MakeDirectory PathChanged PathExists PathExistsGlob PathModified
    TriggerLimitBurst TriggerLimitIntervalSec Unit`,
};
