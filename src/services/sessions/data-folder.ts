import path from 'node:path';

type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
};

/** Where this user's sessions are kept. Creates nothing. */
export function agencyDataFolder({env, home, cwd, platform}: Surroundings): string {
  if (env.AGENCY_DATA_DIR) return path.resolve(cwd, env.AGENCY_DATA_DIR);
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'agency');
  // The XDG specification says to ignore a relative path.
  const shared = env.XDG_DATA_HOME;
  if (shared && path.isAbsolute(shared)) return path.join(shared, 'agency');
  return path.join(home, '.local', 'share', 'agency');
}

/** Paths inside the data folder. Ids were checked before. */
export function agencyFiles(dataFolder: string) {
  const repos = path.join(dataFolder, 'repos');
  const repo = (repoId: string) => path.join(repos, repoId);
  const runs = (repoId: string) => path.join(repo(repoId), 'runs');
  const run = (repoId: string, runId: string) => path.join(runs(repoId), runId);
  return {
    repos,
    runs,
    run,
    worktrees: (repoId: string) => path.join(repo(repoId), 'worktrees'),
    worktree: (repoId: string, runId: string) => path.join(repo(repoId), 'worktrees', runId),
    lock: (repoId: string) => path.join(repo(repoId), '.lock'),
    repoFile: (repoId: string) => path.join(repo(repoId), 'repo.json'),
    metaFile: (repoId: string, runId: string) => path.join(run(repoId, runId), 'meta.json'),
    eventsFile: (repoId: string, runId: string) => path.join(run(repoId, runId), 'events.jsonl'),
  };
}

export type AgencyFiles = ReturnType<typeof agencyFiles>;
