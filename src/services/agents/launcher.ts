import path from 'node:path';
import {guardedByMarker} from './process-table.ts';

/** The first line of the agent's input, read by the launcher: everything after it is the prompt. */
export const goLine = 'go\n';

/**
 * If Blackbird dies before "go", the pipe closes and the agent never runs. No forks: `read` and `exec` are shell
 * builtins, and `read` takes no byte beyond the line.
 */
const gate = 'IFS= read -r blackbird_go || exit 125';

/** How to start an agent that waits for "go". */
export type Launcher = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdio: 'pipe'[];
};

const shellName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The command that runs `file` after "go"; the launcher then becomes the agent. */
export function heldBack(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Launcher {
  return {...heldBackCommand(file, args, env), env, stdio: ['pipe', 'pipe', 'pipe']};
}

function heldBackCommand(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Pick<Launcher, 'file' | 'args'> {
  // Shells drop variables whose names they cannot express (bash's exported functions, `a.b`).
  const unspellable = Object.entries(env).flatMap(([name, value]) =>
    shellName.test(name) || value === undefined ? [] : [`${name}=${value}`],
  );
  const line = unspellable.length === 0 && path.basename(file) === 'sh' ? lineOf(args) : null;
  // The shell that waits at the gate can run a command line itself: it reads line by line. Several lines get
  // a shell of their own, so that its error messages count lines as the user does.
  if (line !== null && !line.includes('\n')) return {file, args: ['-c', `${gate}\n${line}`, 'sh']};
  // A variable name may begin with a dash; `--` keeps `env` from taking it for an option.
  const prefix = unspellable.length > 0 ? ['/usr/bin/env', '--', ...unspellable] : [];
  return {file: '/bin/sh', args: ['-c', `${gate}\nexec "$@"`, 'blackbird', ...prefix, file, ...args]};
}

function lineOf([option, line, ...more]: readonly string[]): string | null {
  return option === '-c' && line !== undefined && more.length === 0 ? line : null;
}

/**
 * Outlives Blackbird to end the agents it started. Its arguments are the agents alive at its start, as
 * `kind:pid:start:name`. stdin is the lifeline: `+` and `-` before such a word say what changed; EOF means that
 * Blackbird is gone, for whatever reason.
 * Then it sends SIGINT to each group, waits 1.5 s, and sends SIGKILL to the groups and to every process
 * marked with its name, until three scans in a row find nothing. A reaper does this better and gets a second
 * more: if killed halfway, it would lose track of hidden processes.
 */
export const guardianScript = `trap '' INT TERM HUP QUIT PIPE TSTP TTIN TTOU
agents=$*
while read -r change agent; do
  kept=
  for other in $agents; do [ "$other" = "$agent" ] || kept="$kept $other"; done
  [ "$change" = + ] && kept="$kept $agent"
  agents=$kept
done
[ -n "$agents" ] || exit 0

choose() {
  kind=\${1%%:*} rest=\${1#*:}
  leader=\${rest%%:*} rest=\${rest#*:}
  start=\${rest%%:*} name=\${rest#*:}
  state= began=
  if [ -d /proc/self ]; then
    read -r stat <"/proc/$leader/stat" && set -- \${stat##*) } && state=$1 began=\${20}
  elif kill -0 "$leader"; then
    state=R began=$start
  fi
}
lives() { [ "$began" = "$start" ] && [ "$state" != Z ]; }
anyLives() {
  for agent in $agents; do choose "$agent"; lives && return; done
  return 1
}
killIfMarked() {
  if [ -d /proc/self ]; then tr '\\000' '\\n' <"/proc/$1/environ"; else ps eww -o command= -p "$1" | tr ' ' '\\n'; fi |
    grep -qxF "${guardedByMarker}=$name" && kill -KILL "$1" && found=1
}
killMarked() {
  if [ -d /proc/self ]; then
    for file in $(grep -lsF "${guardedByMarker}=$name" /proc/[0-9]*/environ); do
      pid=\${file#/proc/}
      killIfMarked "\${pid%/environ}"
    done
  else
    for pid in $(ps axeww -o pid= -o command= | grep -F "${guardedByMarker}=$name" | awk '{print $1}'); do
      killIfMarked "$pid"
    done
  fi
}

turns=30
for agent in $agents; do
  choose "$agent"
  lives || continue
  if [ $kind = reaped ]; then turns=55; else kill -INT "-$leader"; fi
  kill -CONT "-$leader"
done
turn=0
while [ $turn -lt $turns ] && anyLives; do sleep 0.05; turn=$((turn + 1)); done

quiet=0 turn=0
while [ $quiet -lt 3 ] && [ $turn -lt 100 ]; do
  found=
  for agent in $agents; do
    choose "$agent"
    # The number of a group stays taken while it has members; another start time is another group.
    if [ -z "$began" ] || [ "$began" = "$start" ]; then kill -KILL "-$leader"; fi
    killMarked
  done
  if [ -n "$found" ]; then quiet=0; else quiet=$((quiet + 1)); fi
  turn=$((turn + 1))
  sleep 0.05
done`;
