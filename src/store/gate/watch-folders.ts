import fs from "node:fs";

/**
 * Folders being watched. What can't be watched (too many watches, a network file system) must be looked at from time to
 * time.
 */
export interface FolderWatch {
  readonly folders: readonly string[];
  /** Whether at least one folder is not watched by the system. */
  incomplete(): boolean;
  close(): void;
}

/**
 * Calls back whenever something in one of these folders may have changed; not below them. Folders and not files: a file
 * that is replaced by a rename is another file, and its watch would see nothing more.
 */
export function watchFolders(folders: readonly string[], changed: () => void): FolderWatch {
  const watchers = new Map<string, fs.FSWatcher>();
  for (const folder of folders) {
    try {
      const watcher = fs.watch(folder, { persistent: false }, changed);
      watchers.set(folder, watcher);
      watcher.on("error", () => {
        watcher.close();
        watchers.delete(folder);
        changed();
      });
    } catch {
      // Not there yet, or no watches left: the caller looks for itself.
    }
  }
  return {
    folders,
    incomplete: () => watchers.size < folders.length,
    close: () => {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}
