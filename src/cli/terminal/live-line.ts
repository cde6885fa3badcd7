import type {EngineFact} from '../../machines/engine.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {clockTime, tokens} from '../../machines/policies/text/durations.ts';
import {cutEnd} from '../../ui/text/fit.ts';
import type {CliContext} from '../context.ts';

/** Task time, silence, tokens and what the agent does, redrawn once a second and when something happens. */
export function liveLine({stdout}: CliContext, write: (text: string) => void) {
  let startedAt = 0;
  let lastOutputAt = 0;
  let activity = 'starting';
  let usage = '';
  let timer: NodeJS.Timeout | null = null;
  let drawnAt = 0;

  const clear = () => write('\r\u001b[2K');
  const draw = () => {
    const now = performance.now();
    drawnAt = now;
    const silent = now - lastOutputAt > 5_000 ? ` · last output ${clockTime(now - lastOutputAt)} ago` : '';
    const line = `  ${clockTime(now - startedAt)} · ${activity}${usage}${silent}`;
    write(`\r\u001b[2K${cutEnd(line, Math.max(10, stdout.columns - 1))}`);
  };
  const stop = () => {
    if (timer) clearInterval(timer);
    timer = null;
  };
  return {
    begin: () => {
      stop();
      startedAt = performance.now();
      lastOutputAt = startedAt;
      activity = 'starting';
      usage = '';
      timer = setInterval(draw, 1_000);
      timer.unref();
      draw();
    },
    update: (news: Extract<EngineFact, {type: 'agent.news'}>['news']) => {
      lastOutputAt = performance.now();
      if (news.type === 'activity') activity = displayLine(news.activity.text).slice(0, 200);
      else if (news.type === 'usage') usage = ` · ${tokens(news.usage)} tokens`;
      else if (news.type === 'retrying') activity = `retrying: ${displayLine(news.failure.message)}`;
      if (timer && lastOutputAt - drawnAt > 100) draw();
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
