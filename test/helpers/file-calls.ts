import fs from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';

type Called = 'readdirSync' | 'openSync';

/** The paths for which one of Node's file functions was called during a job. */
export async function fileCalls(name: Called, job: () => unknown): Promise<string[]> {
  const original: (...args: never[]) => unknown = fs[name];
  const paths: string[] = [];
  const replace = (value: unknown) => {
    Object.assign(fs, {[name]: value});
    syncBuiltinESMExports();
  };
  replace((...args: never[]) => {
    paths.push(String(args[0]));
    return original(...args);
  });
  try {
    await job();
    return paths;
  } finally {
    replace(original);
  }
}
