import {useStdout} from 'ink';
import {useCallback, useSyncExternalStore} from 'react';

/** The current columns and rows of the terminal. */
export function useTerminalSize(): {readonly columns: number; readonly rows: number} {
  const {stdout} = useStdout();
  const subscribe = useCallback(
    (listener: () => void) => {
      stdout.on('resize', listener);
      return () => {
        stdout.off('resize', listener);
      };
    },
    [stdout],
  );
  const columns = useSyncExternalStore(subscribe, () => stdout.columns || 80);
  const rows = useSyncExternalStore(subscribe, () => stdout.rows || 24);
  return {columns, rows};
}
