import {type Question, questionSchema} from '../../../services/contracts/run.ts';

const questionLimit = 20;
const textLimit = 4_000;
/** Questions are always at the end of a message, and a message may be a megabyte long. */
const messageLimit = 64 * 1024;
const fence = '```';

/**
 * Finds the questions in an agent's last message: one fenced block in the prompt's format, or single-line objects that
 * name the tool `AskUserQuestion`, which the Go program accepted. Duplicates are dropped; a different question with the
 * same id gets a numbered one.
 */
export function askedQuestions(message: string): Question[] {
  const end = message.slice(-messageLimit).trim();
  const whole = [lastBlock(end), end].flatMap((text) => questionsIn(parsed(text)));
  const calls = end.split('\n').flatMap((line) => calledQuestion(parsed(line)));
  const asked = new Map([...whole, ...calls].map((question) => [JSON.stringify(question), question]));
  const unique = new Map<string, Question>();
  for (const question of [...asked.values()].slice(0, questionLimit)) {
    const id = freeId(question.id, unique);
    unique.set(id, {...question, id});
  }
  return [...unique.values()];
}

/** The last fenced block. Some agents add a polite sentence after it; earlier blocks are only quotations. */
function lastBlock(message: string): string {
  const end = message.lastIndexOf(fence);
  const start = end <= 0 ? -1 : message.lastIndexOf(fence, end - 1);
  const body = start < 0 ? -1 : message.indexOf('\n', start);
  return body < 0 || body > end ? '' : message.slice(body + 1, end).trim();
}

function questionsIn(json: unknown): Question[] {
  if (!isObject(json)) return Array.isArray(json) ? json.flatMap(calledQuestion) : [];
  const {blackbird} = json;
  if (!isObject(blackbird)) return calledQuestion(json);
  const {questions} = blackbird;
  return Array.isArray(questions) ? questions.flatMap((entry, index) => toQuestion(entry, index)) : [];
}

function calledQuestion(json: unknown): Question[] {
  if (!isObject(json)) return [];
  const called = [json.tool, json.name].find((each) => typeof each === 'string');
  return /^ask_?user_?question$/i.test(String(called ?? '')) ? toQuestion(json, 0) : [];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function toQuestion(entry: unknown, index: number): Question[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const {id, prompt, question, options} = entry as Record<string, unknown>;
  const text = [prompt, question].find((each) => typeof each === 'string') ?? '';
  const strings = Array.isArray(options) ? options.flatMap(optionText) : [];
  const candidate = {
    id: typeof id === 'string' && id.trim() !== '' ? id.trim() : `q${index + 1}`,
    prompt: text.trim().slice(0, textLimit),
    ...(strings.length === 0 ? {} : {options: strings}),
  };
  return questionSchema.safeParse(candidate).success ? [candidate] : [];
}

/** An option is a string, or an object with a label as in the tool of that name. */
function optionText(option: unknown): string[] {
  if (typeof option === 'string') return [option];
  const label = typeof option === 'object' && option !== null && 'label' in option ? option.label : null;
  return typeof label === 'string' ? [label] : [];
}

function freeId(id: string, taken: ReadonlyMap<string, Question>): string {
  if (!taken.has(id)) return id;
  let number = 2;
  while (taken.has(`${id}-${number}`)) number++;
  return `${id}-${number}`;
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    // Most messages are prose.
    return null;
  }
}

/** Interprets a typed answer: a number selects an option, an option's text matches it, anything else is free text. */
export function meantAnswer({options = []}: Question, typed: string): string {
  const text = typed.trim();
  const chosen = /^[0-9]+$/.test(text) ? options[Number(text) - 1] : undefined;
  return chosen ?? options.find((option) => option.trim().toLowerCase() === text.toLowerCase()) ?? text;
}
