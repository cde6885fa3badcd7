import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import {text as readAll} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';
import {parseArgs} from 'node:util';
import * as z from 'zod';
import type {DemoLine} from './demo.ts';
import {demoPlan, planFieldOf} from './demo-plan.ts';
import {exampleValue} from './example-value.ts';
import {isUuid} from './verdicts.ts';

const help = `Reads a prompt from stdin and obeys its lines of the form "demo: <directive>":
  print <text>                       say it
  write <path> <text>                replace a file below the working directory (\\n breaks lines)
  append <path> <text>               add to one
  mend <path> <text>                 replace a file, once a check has failed; each failure takes the next one
  ask <id> <prompt> [| option]...    end the turn with a question
  answer <text>                      end the turn with these words
  fail <message>                     end the turn with a failure
  limit <seconds>                    end the turn at a usage limit that is reset after so long
  outage <n> [seconds]               do not reach the model, n times in a row; try again after so long
  exit <code>                        leave without a result
  sleep <seconds>                    do nothing for a while
  lines <n>                          print n lines as fast as possible
  linger <seconds>                   stay alive after the result
  ignore-sigint                      do not stop for SIGINT
  spawn-sleeper                      leave a process behind, in a session of its own
  send-back <task> <path> <text>     as a reviewer, send the task back while there is no such file
Asked for a plan, it makes one task of each point or sentence of what is wanted.
Options: --session-id <uuid>, --resume <uuid>, --read-only, --answer-schema <json>, --model <name>, --effort <word>
`;

const sessionSchema = z.object({
  schemaVersion: z.literal(1),
  messages: z.array(z.object({from: z.enum(['user', 'agent']), text: z.string()})),
  /** All directives of the session, so that a repeated one adds nothing. */
  known: z.array(z.string()),
  /** What is left to do. A step leaves the list when it begins, so a resume continues after it. */
  remaining: z.array(z.string()),
  /** Fixes for failing checks, one for each failure. */
  mends: z.array(z.string()).default([]),
});
type Session = z.infer<typeof sessionSchema>;

type Say = (text: string) => Promise<void>;
/** How a step ends the turn; otherwise the next step follows. */
type TurnEnd =
  | ({readonly ok: boolean; readonly text: string} & Pick<
      Extract<DemoLine, {demo: 'result'}>,
      'kind' | 'reset_at'
    >)
  | {readonly exitCode: number};

const {values: options} = parseArgs({
  options: {
    help: {type: 'boolean'},
    'session-id': {type: 'string'},
    resume: {type: 'string'},
    'read-only': {type: 'boolean'},
    'answer-schema': {type: 'string'},
    // Accepted like by any agent, without effect.
    model: {type: 'string'},
    effort: {type: 'string'},
  },
});
const interruption = new AbortController();
let ignoresInterrupts = false;
let lingerSeconds = 0;
const sentBack: Array<{taskId: string; status: 'failed'; feedback: string}> = [];

async function takeTurn(): Promise<number> {
  const prompt = await readAll(process.stdin).catch(() => null);
  if (prompt === null) return 1;
  const id = options.resume ?? options['session-id'] ?? randomUUID();
  const folder = process.env.BLACKBIRD_DEMO_HOME ?? path.resolve('.blackbird', 'demo-sessions');
  const file = path.join(folder, `${id}.json`);
  const exists = isUuid(id) && fs.existsSync(file);
  if (options.resume !== undefined && !exists) return complain(`no demo session ${id}`);
  if (options.resume === undefined && exists) return complain(`demo session ${id} already exists`);
  if (!isUuid(id)) return complain(`${JSON.stringify(id)} is not a session id`);

  const session: Session = exists
    ? sessionSchema.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
    : {schemaVersion: 1, messages: [], known: [], remaining: [], mends: []};
  const earlier = session.messages.length;
  const fresh = directivesOf(prompt).filter((directive) => !session.known.includes(directive));
  session.messages.push({from: 'user', text: prompt});
  session.known.push(...fresh);
  session.remaining.push(...fresh.filter((directive) => !isMend(directive)));
  session.mends.push(...fresh.filter(isMend));
  const mend = /^# A check failed$/m.test(prompt) ? session.mends.shift() : undefined;
  if (mend !== undefined) session.remaining.push(mend.replace('mend', 'write'));
  save(file, session);
  await print({demo: 'session', id});

  const say: Say = async (text) => {
    session.messages.push({from: 'agent', text});
    save(file, session);
    await print({demo: 'message', text});
  };
  if (exists) await say(`Resumed. I know ${earlier} earlier ${earlier === 1 ? 'message' : 'messages'}.`);

  let end: TurnEnd | undefined;
  while (end === undefined && !interruption.signal.aborted) {
    const directive = session.remaining.shift();
    save(file, session);
    end = directive === undefined ? {ok: true, text: plainAnswer(session)} : await obey(directive, say);
    const again = directive === undefined ? null : repeated(directive);
    if (again !== null) session.remaining.unshift(again);
    save(file, session);
  }
  if (end === undefined) return 1;
  if ('exitCode' in end) return end.exitCode;

  if (end.ok) await say(end.text);
  const output_tokens = session.messages.length - earlier - 1;
  await print({demo: 'usage', input_tokens: Math.ceil(prompt.length / 4), output_tokens});
  await print({demo: 'result', ...end});
  await pause(lingerSeconds);
  return end.ok ? 0 : 1;
}

async function obey(directive: string, say: Say): Promise<TurnEnd | undefined> {
  const [verb, rest] = split(directive);
  const [first, text] = split(rest);
  switch (verb) {
    case 'print':
      return void (await say(rest));
    case 'write':
    case 'append':
      return changeFile(verb, first, `${text.replaceAll('\\n', '\n')}\n`, say);
    case 'ask':
      return {ok: true, text: question(first, text)};
    case 'answer':
      return {ok: true, text: rest};
    case 'fail':
      return {ok: false, text: rest};
    case 'limit':
      return {ok: false, text: 'usage limit reached', kind: 'rate_limit', reset_at: secondsFromNow(rest)};
    case 'outage': {
      const down = {ok: false, text: 'the model cannot be reached', kind: 'outage'} as const;
      return text === '' ? down : {...down, reset_at: secondsFromNow(text)};
    }
    case 'exit':
      return {exitCode: Number(rest)};
    case 'sleep':
      await print({demo: 'command', command: `sleep ${rest}`});
      return void (await pause(Number(rest)));
    case 'lines':
      for (let line = 1; line <= Number(rest) && !interruption.signal.aborted; line++) {
        await print({demo: 'output', text: `line ${line}`});
      }
      return undefined;
    case 'linger':
      lingerSeconds = Number(rest);
      return undefined;
    case 'ignore-sigint':
      ignoresInterrupts = true;
      return undefined;
    case 'spawn-sleeper': {
      const sleeper = spawn('sleep', ['600'], {detached: true, stdio: 'ignore'});
      sleeper.unref();
      return void (await say(`sleeper ${sleeper.pid}`));
    }
    case 'send-back': {
      const [missing, feedback] = split(text);
      if (!fs.existsSync(path.resolve(missing))) {
        sentBack.push({taskId: first, status: 'failed', feedback: feedback.replaceAll('\\n', '\n')});
      }
      return undefined;
    }
    default:
      return void (await say(`I do not know how to ${verb}.`));
  }
}

const isMend = (directive: string) => directive.startsWith('mend ');

const secondsFromNow = (seconds: string) => new Date(Date.now() + Number(seconds) * 1000).toISOString();

/** What the next turn begins with, if one is not enough. */
function repeated(directive: string): string | null {
  const [verb, rest] = split(directive);
  const [count, seconds] = split(rest);
  return verb === 'outage' && Number(count) > 1 ? `outage ${Number(count) - 1} ${seconds}`.trim() : null;
}

async function changeFile(verb: 'write' | 'append', target: string, content: string, say: Say) {
  if (options['read-only']) return void (await say(`Read-only: ${target} stays as it is.`));
  const file = path.resolve(target);
  if (!isInside(file))
    return {ok: false, text: `refused to write ${target}: not below the working directory`};
  const removed = verb === 'write' && fs.existsSync(file) ? lineCount(fs.readFileSync(file, 'utf8')) : 0;
  fs.mkdirSync(path.dirname(file), {recursive: true});
  fs.writeFileSync(file, content, {flag: verb === 'write' ? 'w' : 'a'});
  return void (await print({demo: 'edit', path: target, added: lineCount(content), removed}));
}

/** Resolves symbolic links: what counts is where the bytes would land. */
function isInside(file: string): boolean {
  let existing = file;
  while (!fs.existsSync(existing)) {
    if (fs.lstatSync(existing, {throwIfNoEntry: false}) !== undefined) return false;
    existing = path.dirname(existing);
  }
  const inside = path.relative(
    fs.realpathSync('.'),
    path.join(fs.realpathSync(existing), path.relative(existing, file)),
  );
  return inside !== '' && !inside.startsWith('..') && !path.isAbsolute(inside);
}

function question(id: string, text: string): string {
  const [prompt = '', ...choices] = text.split('|').map((part) => part.trim());
  const asked = choices.length > 0 ? {id, prompt, options: choices} : {id, prompt};
  if (isPlanning()) return JSON.stringify({questions: [asked]});
  return `I need an answer.\n\`\`\`json\n${JSON.stringify({blackbird: {questions: [asked]}})}\n\`\`\``;
}

const isPlanning = () => planFieldOf(JSON.parse(options['answer-schema'] ?? 'null')) !== null;

function plainAnswer({messages}: Session): string {
  const schema = options['answer-schema'];
  if (schema === undefined) return 'Done.';
  const field = planFieldOf(JSON.parse(schema));
  const prompts = messages.flatMap(({from, text}) => (from === 'user' ? [text] : []));
  if (field !== null) return JSON.stringify(demoPlan(field, prompts));
  if (sentBack.length === 0) return JSON.stringify(exampleValue(JSON.parse(schema)));
  const resumeTaskIds = sentBack.map(({taskId}) => taskId);
  return JSON.stringify({passed: false, resumeTaskIds, feedbackForResume: '', reviewResults: sentBack});
}

function directivesOf(prompt: string): string[] {
  return prompt.split('\n').flatMap((line) => /^\s*demo:\s*(\S.*?)\s*$/.exec(line)?.[1] ?? []);
}

function split(text: string): [head: string, tail: string] {
  const [, head = '', tail = ''] = /^(\S+)\s*(.*)$/.exec(text) ?? [];
  return [head, tail];
}

function save(file: string, session: Session): void {
  fs.mkdirSync(path.dirname(file), {recursive: true, mode: 0o700});
  fs.writeFileSync(`${file}.tmp`, JSON.stringify(session), {mode: 0o600});
  fs.renameSync(`${file}.tmp`, file);
}

async function print(line: DemoLine): Promise<void> {
  if (process.stdout.write(`${JSON.stringify(line)}\n`)) return;
  await new Promise((resolve) => process.stdout.once('drain', resolve));
}

async function pause(seconds: number): Promise<void> {
  await sleep(seconds * 1000, undefined, {signal: interruption.signal}).catch(() => {});
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return 1;
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}

process.on('SIGINT', () => {
  if (ignoresInterrupts) return;
  interruption.abort();
  process.stdin.destroy();
});
process.stdout.on('error', () => process.exit(1));

if (options.help) process.stdout.write(help);
else process.exitCode = await takeTurn();
