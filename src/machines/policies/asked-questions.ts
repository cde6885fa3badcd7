import {type Question, questionSchema} from '../../services/contracts/run.ts';

const questionLimit = 20;
const textLimit = 4_000;
/** Only the end of a message can ask, and an agent's message may be a megabyte. */
const messageLimit = 64 * 1024;
const fence = '```';

/**
 * The questions in an agent's last message: one fenced block as the prompt tells it, or objects on a line
 * of their own that name the tool `AskUserQuestion`, as the Go program took them. The same question twice
 * is one; another question with the same id gets a number.
 */
export function askedQuestions(message: string): Question[] {
  const end = message.slice(-messageLimit).trim();
  const texts = [lastBlock(end), end, ...end.split('\n')].filter((text) => /^\s*[[{]/.test(text));
  const asked = new Map<string, Question>();
  for (const question of texts.flatMap((text) => questionsIn(parsed(text)))) {
    asked.set(JSON.stringify(question), question);
  }
  const unique = new Map<string, Question>();
  for (const question of [...asked.values()].slice(0, questionLimit)) {
    const id = freeId(question.id, unique);
    unique.set(id, {...question, id});
  }
  return [...unique.values()];
}

/** The fenced block a message ends with; one that is only quoted in the middle asks nothing. */
function lastBlock(message: string): string {
  if (!message.endsWith(fence)) return '';
  const start = message.lastIndexOf(fence, message.length - fence.length - 1);
  const body = start < 0 ? -1 : message.indexOf('\n', start);
  return body < 0 ? '' : message.slice(body + 1, -fence.length).trim();
}

function questionsIn(json: unknown): Question[] {
  if (typeof json !== 'object' || json === null) return [];
  if (Array.isArray(json)) return json.flatMap((entry) => (Array.isArray(entry) ? [] : questionsIn(entry)));
  const {blackbird, tool, name} = json as Record<string, unknown>;
  if (typeof blackbird === 'object' && blackbird !== null) {
    const {questions} = blackbird as Record<string, unknown>;
    return Array.isArray(questions) ? questions.flatMap((entry, index) => toQuestion(entry, index)) : [];
  }
  const called = [tool, name].find((each) => typeof each === 'string');
  return /^ask_?user_?question$/i.test(String(called ?? '')) ? toQuestion(json, 0) : [];
}

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

/** An option as text, or with its text as a label, as the tool of that name has it. */
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
    // Prose, as most messages are.
    return null;
  }
}

/** What was meant by an answer: a number is an option's place, an option's words are the option, else free text. */
export function meantAnswer({options = []}: Question, typed: string): string {
  const text = typed.trim();
  const chosen = /^[0-9]+$/.test(text) ? options[Number(text) - 1] : undefined;
  return chosen ?? options.find((option) => option.trim().toLowerCase() === text.toLowerCase()) ?? text;
}
