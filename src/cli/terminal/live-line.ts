import type {EngineFact} from '../../machines/engine.ts';
import {waitLine} from '../../machines/policies/job/wait-lines.ts';
import type {Wait} from '../../machines/policies/job/waiting.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {clockTime, usedTokens} from '../../machines/policies/text/durations.ts';
import {cutEnd} from '../../ui/text/fit.ts';
import type {CliContext} from '../context.ts';

/** Task time, silence, tokens and the agent's activity, redrawn every second and on every event. */
export function liveLine(
  {stdout, now: wallClock}: Pick<CliContext, 'stdout' | 'now'>,
  write: (text: string) => void,
) {
  let waiting: Wait | null = null;
  let startedAt = 0;
  let lastOutputAt = 0;
  let activity = 'starting';
  let isAgentAtWork = true;
  let usage = '';
  let timer: NodeJS.Timeout | null = null;
  let drawnAt = 0;

  const clear = () => write('\r\u001b[2K');
  const show = (line: string) => write(`\r\u001b[2K${cutEnd(line, Math.max(10, stdout.columns - 1))}`);
  const draw = () => {
    const now = performance.now();
    drawnAt = now;
    if (waiting) return show(`Ⅱ ${waitLine(waiting, wallClock())}  r tries now, Ctrl+C pauses`);
    const isSilent = isAgentAtWork && now - lastOutputAt > 5_000;
    const silent = isSilent ? ` · last output ${clockTime(now - lastOutputAt)} ago` : '';
    const line = `  ${clockTime(now - startedAt)} · ${activity}${usage}${silent}`;
    show(line);
  };
  const stop = () => {
    if (timer) clearInterval(timer);
    timer = null;
    waiting = null;
  };
  const start = () => {
    timer = setInterval(draw, 1_000);
    timer.unref();
    draw();
  };
  return {
    /** A countdown, until something starts again. */
    wait: (wait: Wait) => {
      stop();
      waiting = wait;
      start();
    },
    begin: () => {
      stop();
      startedAt = performance.now();
      lastOutputAt = startedAt;
      activity = 'starting';
      isAgentAtWork = true;
      usage = '';
      start();
    },
    update: (news: Extract<EngineFact, {type: 'agent.news'}>['news']) => {
      lastOutputAt = performance.now();
      isAgentAtWork = true;
      if (news.type === 'activity') activity = displayLine(news.activity.text).slice(0, 200);
      else if (news.type === 'usage') usage = ` · ${usedTokens(news.usage)}`;
      else if (news.type === 'retrying') activity = `retrying: ${displayLine(news.failure.message)}`;
      if (timer && lastOutputAt - drawnAt > 100) draw();
    },
    /** What Blackbird itself is doing. */
    say: (text: string) => {
      activity = displayLine(text).slice(0, 200);
      isAgentAtWork = false;
      if (timer) draw();
    },
    clear: () => {
      if (timer) clear();
    },
    close: () => {
      if (timer) clear();
      stop();
    },
  };
}
