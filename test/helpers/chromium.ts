import {execFile} from 'node:child_process';
import {access, constants} from 'node:fs/promises';
import {promisify} from 'node:util';
import {type Browser, chromium} from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** An installed Chromium (`CHROMIUM_PATH` names one), or null. */
export async function installedChromium(): Promise<string | null> {
  const {CHROMIUM_PATH: named} = process.env;
  for (const file of named ? [named] : places) {
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return null;
}

/** Installs Debian's if possible. */
async function ensureChromium(): Promise<string> {
  const present = await installedChromium();
  if (present !== null) return present;
  if (process.getuid?.() === 0) {
    const env = {...process.env, DEBIAN_FRONTEND: 'noninteractive'};
    const run = promisify(execFile);
    await run('apt-get', ['update', '-qq'], {env});
    await run(
      'apt-get',
      ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'],
      {env},
    );
  }
  const installed = await installedChromium();
  if (installed === null) {
    throw new Error(
      'No Chromium is installed, and only root can install one here. Say where it is: CHROMIUM_PATH',
    );
  }
  return installed;
}

/** A headless browser without background traffic. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await ensureChromium(),
    timeout: 120_000,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
