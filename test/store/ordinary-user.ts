import fs from "node:fs";

const nobody = 65534;

/**
 * Runs something without the rights of root, to whom no permission applies. The folder is handed to that user for the
 * time. A run that is not root's needs no change.
 */
export function asOrdinaryUser<T>(folder: string, run: () => T): T {
  if (process.geteuid!() !== 0) return run();
  const owner = fs.statSync(folder).uid;
  fs.chownSync(folder, nobody, fs.statSync(folder).gid);
  process.seteuid!(nobody);
  try {
    return run();
  } finally {
    process.seteuid!(0);
    fs.chownSync(folder, owner, fs.statSync(folder).gid);
  }
}
