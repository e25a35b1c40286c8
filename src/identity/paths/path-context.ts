/**
 * Everything path rules need to know of a machine. Pure code gets it as an argument, so every platform's rules run on
 * any machine.
 */
export interface PathContext {
  readonly platform: Platform;
  /** What `~` means: absolute. */
  readonly home: string;
  /** Homes that records were written under, on this machine or another: they mean today's home. */
  readonly formerHomes: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An absolute path with the symlinks of its existing part resolved and the rest kept. Never throws. */
  resolveLinks(absolute: string): string;
  /** Whether the file system at this place takes `A` and `a` for one name. */
  foldsCase(absolute: string): boolean;
}

export type Platform = "linux" | "darwin" | "win32";
