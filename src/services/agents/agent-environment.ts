import {guardedByMarker, guardianMarker, runMarker} from './process-table.ts';

/** For debugging Blackbird itself; if inherited, they would open a debugger in the agent or stop it. */
const ownDebugging = ['BLACKBIRD_AGENT_DEBUG', 'VSCODE_INSPECTOR_OPTIONS', guardianMarker];
const inspectFlag = /(^|\s)--inspect[\w-]*(=\S*)?(?=\s|$)/g;

/** Our own environment, which has the provider's keys and proxies, plus the markers of the run. */
export function agentEnvironment({
  own,
  command,
  runId,
  guardian,
  cwd,
}: {
  own: NodeJS.ProcessEnv;
  command: Readonly<Record<string, string>>;
  runId: string;
  /** The name of the guardian that ends it. */
  guardian: string;
  cwd: string;
}): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    ...own,
    PWD: cwd,
    ...command,
    [runMarker]: runId,
    [guardedByMarker]: guardian,
  };
  for (const name of ownDebugging) if (command[name] === undefined) delete env[name];
  if (env.NODE_OPTIONS !== undefined && command.NODE_OPTIONS === undefined) {
    const options = env.NODE_OPTIONS.replaceAll(inspectFlag, '').trim();
    if (options === '') delete env.NODE_OPTIONS;
    else env.NODE_OPTIONS = options;
  }
  return env;
}
