/**
 * What podman's generator refuses although it knows every key: each case as Quadlet files, with the line that is at
 * fault in the first of them, and the same repaired. The generator itself is asked about all of them in `test/real`.
 */
export interface QuadletCase {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  /** 1-based; undefined where what is missing has no line. */
  readonly line: number | undefined;
  readonly repaired: string;
  readonly code?: "missing-reference";
}

const container = "[Container]\nImage=localhost/imagename:1\n";
const network = "[Network]\n";

export const quadletCases: readonly QuadletCase[] = [
  {
    name: "Group without User",
    file: "a.container",
    text: `${container}Group=x\n`,
    line: 3,
    repaired: `${container}Group=x\nUser=y\n`,
  },
  { name: "Image and Rootfs", file: "a.container", text: `${container}Rootfs=/x\n`, line: 3, repaired: container },
  {
    name: "explicit mappings and Remap keys",
    file: "a.container",
    text: `${container}UIDMap=0:10000:10\nRemapUsers=auto\n`,
    line: 4,
    repaired: `${container}UIDMap=0:10000:10\n`,
  },
  {
    name: "named mappings and Remap keys",
    file: "a.container",
    text: `${container}SubUIDMap=utest\nSubGIDMap=gtest\nRemapUsers=auto\n`,
    line: 5,
    repaired: `${container}RemapUsers=auto\n`,
  },
  {
    name: "UserNS and Remap keys",
    file: "a.container",
    text: `${container}RemapUsers=auto\nUserNS=keep-id\n`,
    line: 3,
    repaired: `${container}UserNS=keep-id\n`,
  },
  {
    name: "UserNS and Remap keys of a pod",
    file: "a.pod",
    text: "[Pod]\nRemapUsers=auto\nUserNS=keep-id\n",
    line: 2,
    repaired: "[Pod]\nUserNS=keep-id\n",
  },
  {
    name: "RemapUid without RemapUsers",
    file: "a.container",
    text: `${container}RemapUid=0:10000:10\n`,
    line: 3,
    repaired: `${container}RemapUid=0:10000:10\nRemapUsers=manual\n`,
  },
  {
    name: "RemapUsers=manual of a kube",
    file: "a.kube",
    text: "[Kube]\nYaml=/a.yml\nRemapUsers=manual\n",
    line: 3,
    repaired: "[Kube]\nYaml=/a.yml\nRemapUsers=auto\n",
  },
  {
    name: "RemapUsers=keep-id with two mappings",
    file: "a.container",
    text: `${container}RemapUsers=keep-id\nRemapUid=1\nRemapUid=2\n`,
    line: 5,
    repaired: `${container}RemapUsers=keep-id\nRemapUid=1\n`,
  },
  {
    name: "an unknown RemapUsers",
    file: "a.container",
    text: `${container}RemapUsers=maybe\n`,
    line: 3,
    repaired: `${container}RemapUsers=\n`,
  },
  {
    name: "a KillMode that podman can't work with",
    file: "a.container",
    text: `${container}[Service]\nKillMode=process\n`,
    line: 4,
    repaired: `${container}[Service]\nKillMode=mixed\n`,
  },
  {
    name: "a Type that podman can't work with",
    file: "a.kube",
    text: "[Kube]\nYaml=/a.yml\n[Service]\nType=simple\n",
    line: 4,
    repaired: "[Kube]\nYaml=/a.yml\n[Service]\nType=oneshot\n",
  },
  {
    name: "a port that is none",
    file: "a.container",
    text: `${container}ExposeHostPort=http\n`,
    line: 3,
    repaired: `${container}ExposeHostPort=80-90\n`,
  },
  {
    name: "a pod that is no unit",
    file: "a.container",
    text: `${container}Pod=test-pod\n`,
    line: 3,
    repaired: container,
  },
  {
    name: "a gateway without a subnet",
    file: "a.network",
    text: `${network}Gateway=192.168.1.1\n`,
    line: 2,
    repaired: `${network}Gateway=192.168.1.1\nSubnet=192.168.1.0/24\n`,
  },
  {
    name: "a range without a subnet",
    file: "a.network",
    text: `${network}IPRange=192.168.1.0/32\n`,
    line: 2,
    repaired: `${network}IPRange=192.168.1.0/32\nSubnet=192.168.1.0/24\n`,
  },
  {
    name: "more gateways than subnets",
    file: "a.network",
    text: `${network}Subnet=192.168.1.0/24\nGateway=192.168.1.1\nGateway=192.168.2.1\n`,
    line: 4,
    repaired: `${network}Subnet=192.168.1.0/24\nGateway=192.168.1.1\n`,
  },
  {
    name: "more ranges than subnets",
    file: "a.network",
    text: `${network}Subnet=192.168.1.0/24\nIPRange=192.168.1.0/32\nIPRange=192.168.1.127/32\n`,
    line: 4,
    repaired: `${network}Subnet=192.168.1.0/24\nIPRange=192.168.1.0/32\n`,
  },
  {
    name: "Driver=image without Image",
    file: "a.volume",
    text: "[Volume]\nDriver=image\n",
    line: 2,
    repaired: "[Volume]\nDriver=image\nImage=localhost/a:1\n",
  },
  {
    name: "Type without Device",
    file: "a.volume",
    text: "[Volume]\nType=tmpfs\n",
    line: 2,
    repaired: "[Volume]\nType=tmpfs\nDevice=tmpfs\n",
  },
  {
    name: "a build of nothing",
    file: "a.build",
    text: "[Build]\nImageTag=localhost/a\n",
    line: undefined,
    repaired: "[Build]\nImageTag=localhost/a\nFile=/srv/Containerfile\n",
  },
  {
    name: "a relative File without SetWorkingDirectory",
    file: "a.build",
    text: "[Build]\nImageTag=localhost/a\nFile=Containerfile\n",
    line: 3,
    repaired: "[Build]\nImageTag=localhost/a\nFile=/srv/Containerfile\n",
  },
  {
    name: "SetWorkingDirectory=yaml of a build",
    file: "a.build",
    text: "[Build]\nImageTag=localhost/a\nSetWorkingDirectory=yaml\n",
    line: 3,
    repaired: "[Build]\nImageTag=localhost/a\nSetWorkingDirectory=/srv\n",
  },
  {
    name: "SetWorkingDirectory=file without File",
    file: "a.build",
    text: "[Build]\nImageTag=localhost/a\nSetWorkingDirectory=file\n",
    line: 3,
    repaired: "[Build]\nImageTag=localhost/a\nSetWorkingDirectory=file\nFile=/srv/Containerfile\n",
  },
  {
    name: "a working directory that a kube can't have",
    file: "a.kube",
    text: "[Kube]\nYaml=/a.yml\nSetWorkingDirectory=/srv\n",
    line: 3,
    repaired: "[Kube]\nYaml=/a.yml\nSetWorkingDirectory=yaml\n",
  },
  {
    name: "options for a container's network",
    file: "a.container",
    text: `${container}Network=a.container:ip=10.0.0.1\n`,
    line: 3,
    repaired: `${container}Network=bridge:ip=10.0.0.1\n`,
  },
  {
    name: "a network that is not there",
    file: "a.container",
    text: `${container}Network=shared.network\n`,
    line: 3,
    repaired: `${container}Network=shared\n`,
    code: "missing-reference",
  },
  {
    name: "a network that is not there, with options",
    file: "a.pod",
    text: "[Pod]\nNetwork=shared.network:ip=10.0.0.1\n",
    line: 2,
    repaired: "[Pod]\n",
    code: "missing-reference",
  },
  {
    name: "a volume that is not there",
    file: "a.container",
    text: `${container}Volume=data.volume:/data:Z\n`,
    line: 3,
    repaired: `${container}Volume=data:/data:Z\n`,
    code: "missing-reference",
  },
  {
    name: "a mounted volume that is not there",
    file: "a.container",
    text: `${container}Mount=type=volume,source=data.volume,destination=/data\n`,
    line: 3,
    repaired: `${container}Mount=type=volume,source=data,destination=/data\n`,
    code: "missing-reference",
  },
  {
    name: "a mounted image that is not there",
    file: "a.container",
    text: `${container}Mount=type=image,source=b.image,destination=/data\n`,
    line: 3,
    repaired: `${container}Mount=type=image,source=localhost/b,destination=/data\n`,
    code: "missing-reference",
  },
  {
    name: "a pod that is not there",
    file: "a.container",
    text: `${container}Pod=none.pod\n`,
    line: 3,
    repaired: container,
    code: "missing-reference",
  },
  {
    name: "a build that is not there",
    file: "a.container",
    text: "[Container]\nImage=none.build\n",
    line: 2,
    repaired: container,
    code: "missing-reference",
  },
  {
    name: "an image of a volume that is not there",
    file: "a.volume",
    text: "[Volume]\nDriver=image\nImage=none.image\n",
    line: 3,
    repaired: "[Volume]\nDriver=image\nImage=localhost/a:1\n",
    code: "missing-reference",
  },
];
