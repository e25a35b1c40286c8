import fs from "node:fs";
import path from "node:path";

/**
 * What `npm ci --omit=dev --omit=optional` leaves: all that the lockfile does not mark as needed for development only.
 */
export function copyForRunning(to: string): void {
  const { packages } = JSON.parse(fs.readFileSync("package-lock.json", "utf8"));
  for (const [folder, { dev, devOptional, optional }] of Object.entries<{
    dev?: boolean;
    devOptional?: boolean;
    optional?: boolean;
  }>(packages))
    if (folder !== "" && !dev && !devOptional && !optional)
      fs.cpSync(folder, path.join(to, path.relative("node_modules", folder)), { recursive: true });
}
