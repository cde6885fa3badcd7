import type {Engine} from '../../machines/engine.ts';
import type {PauseReason} from '../../services/contracts/run.ts';

const reasons = {
  SIGINT: 'user_interrupt',
  SIGTERM: 'terminated',
  SIGHUP: 'terminated',
} as const satisfies Record<string, PauseReason>;

/**
 * Every signal that means "stop" pauses; Ctrl+Z suspends the agent with us. Returns a function to
 * unsubscribe.
 */
export function listenToSignals(engine: Pick<Engine, 'pause' | 'suspend' | 'wake'>): () => void {
  const handlers = Object.entries(reasons).map(([signal, reason]) => {
    const handler = () => engine.pause(reason);
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  const suspend = () => {
    engine.suspend();
    process.kill(process.pid, 'SIGSTOP');
  };
  const wake = () => engine.wake();
  process.on('SIGTSTP', suspend);
  process.on('SIGCONT', wake);
  return () => {
    for (const release of handlers) release();
    process.off('SIGTSTP', suspend);
    process.off('SIGCONT', wake);
  };
}
