// A program in a terminal of its own (`script`, Linux): keys into it, what it shows, how often, and what it costs.
import {spawn} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';

const ticksPerSecond = 100;

export function openTerminal(command, {folder, env}) {
  const child = spawn('script', ['-qfec', `stty cols 120 rows 40; ${command}`, '/dev/null'], {
    cwd: folder,
    env: {...env, CI: '0', TERM: 'xterm-256color'},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => child.once('close', () => resolve(true)));
  child.stdin.on('error', () => {});
  const shown = {text: '', bytes: 0, frames: 0, waiting: null};
  child.stdout.on('data', (chunk) => {
    shown.bytes += chunk.length;
    shown.frames += chunk.toString('latin1').split(frameEnd).length - 1;
    shown.text = (shown.text + chunk).slice(-200_000);
    if (shown.waiting?.pattern.test(shown.text)) shown.waiting.resolve(performance.now());
  });
  return {
    bytes: () => shown.bytes,
    frames: () => shown.frames,
    /** Presses a key; the milliseconds until the screen shows what it leads to. */
    press: async (key, pattern, limit = 60_000) => {
      shown.text = '';
      const start = performance.now();
      const seen = new Promise((resolve, reject) => {
        shown.waiting = {pattern, resolve};
        setTimeout(() => reject(new Error(`no ${pattern} after ${JSON.stringify(key)}`)), limit).unref();
      });
      child.stdin.write(key);
      const end = await seen;
      shown.waiting = null;
      return end - start;
    },
    /** Of the program itself, not of `script`. */
    cost: () => costOf(childOf(child.pid)),
    /** Pauses what runs, then quits. */
    close: async () => {
      for (let tries = 0; tries < 20 && !(await Promise.race([closed, sleep(300, false)])); tries++) {
        if (child.stdin.writable) child.stdin.write('\x03');
      }
      child.kill('SIGKILL');
    },
  };
}

/** Each frame is put between the marks of one update of the screen; this is the second of them. */
const frameEnd = '\x1b[?2026l';

/** Processor time in seconds and memory in MB: its own, not that of its children. */
export function costOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return {
    seconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    memory: Number(kilobytes) / 1_024,
  };
}

function childOf(parent) {
  return readdirSync('/proc').find((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1]) === parent;
    } catch {
      return false;
    }
  });
}
