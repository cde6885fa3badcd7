import {readFileSync} from 'node:fs';
import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether Codex is configured for a model provider without an OpenAI login: its key is in the environment, or it needs
 * none. Only explicit settings count.
 */
export function usesOwnKey(env: Environment): boolean {
  const home = env.CODEX_HOME ?? path.join(env.HOME ?? '', '.codex');
  const sections = sectionsIn(textOf(path.join(home, 'config.toml')));
  const provider = sections.get('')?.get('model_provider');
  const settings = provider === undefined ? undefined : sections.get(`model_providers.${provider}`);
  if (settings === undefined || settings.get('requires_openai_auth') === 'true') return false;
  const key = settings.get('env_key');
  return key === undefined || Boolean(env[key]?.trim());
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Without settings it is in its default state, with a login.
    return '';
  }
}

/** The plain values of a TOML file, by section. */
function sectionsIn(text: string): Map<string, Map<string, string>> {
  const sections = new Map([['', new Map<string, string>()]]);
  let name = '';
  for (const line of text.split('\n')) {
    const [, section] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line) ?? [];
    if (section !== undefined) {
      name = section.replaceAll(/["'\s]/g, '');
      sections.set(name, sections.get(name) ?? new Map());
      continue;
    }
    const [, key, double, single, bare] =
      /^\s*([\w-]+)\s*=\s*(?:"([^"\\]*)"|'([^']*)'|(\w+))\s*(?:#.*)?$/.exec(line) ?? [];
    const value = double ?? single ?? bare;
    if (key !== undefined && value !== undefined) sections.get(name)?.set(key, value);
  }
  return sections;
}
