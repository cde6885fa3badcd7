import type {Engine, EngineFact} from '../../machines/engine.ts';
import type {CliContext} from '../context.ts';

/** On a terminal, keys work while a job waits: `r` tries now, Ctrl+C pauses. */
export function waitKeys(
  {screen}: Pick<CliContext, 'screen'>,
  engine: Pick<Engine, 'pause' | 'retryNow'>,
  isJson: boolean,
) {
  const stdin = isJson ? undefined : screen?.stdin;
  let isReading = false;

  const onKeys = (bytes: Buffer | string) => {
    for (const key of String(bytes)) {
      if (key === 'r' && isReading) engine.retryNow();
      // In raw mode the terminal sends no signal for it.
      else if (key === '\u0003') engine.pause('user_interrupt', 'key');
      else if (key === '\u001a') process.kill(process.pid, 'SIGTSTP');
    }
  };
  const read = () => {
    if (!stdin || isReading) return;
    isReading = true;
    stdin.setRawMode(true);
    stdin.on('data', onKeys);
    stdin.resume();
  };
  const letGo = () => {
    if (!stdin || !isReading) return;
    isReading = false;
    stdin.off('data', onKeys);
    stdin.pause();
    stdin.setRawMode(false);
  };
  return {
    onFact: ({type}: EngineFact) => {
      if (type === 'wait.started') read();
      else if (type === 'wait.ended') letGo();
    },
    close: letGo,
  };
}
