import {type Question, questionSchema} from '../../services/contracts/run.ts';

const questionLimit = 20;
const textLimit = 4_000;

/**
 * The questions an agent's last message ends with: one fenced block as the prompt tells it, or objects
 * that name the tool `AskUserQuestion`, as the Go program took them. Ids are made unique.
 */
export function askedQuestions(message: string): Question[] {
  const found = [...fencedBlocks(message), message.trim()].flatMap((text) => questionsIn(parsed(text)));
  const unique = new Map<string, Question>();
  for (const question of found.slice(0, questionLimit)) {
    const id = freeId(question.id, unique);
    if (id !== null) unique.set(id, {...question, id});
  }
  return [...unique.values()];
}

function fencedBlocks(message: string): string[] {
  return [...message.matchAll(/```(?:json)?[ \t]*\n([\s\S]*?)\n[ \t]*```/gi)].map((match) => match[1] ?? '');
}

function questionsIn(json: unknown): Question[] {
  if (typeof json !== 'object' || json === null) return [];
  if (Array.isArray(json)) return json.flatMap(questionsIn);
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
  const strings = Array.isArray(options)
    ? options.filter((option): option is string => typeof option === 'string')
    : [];
  const candidate = {
    id: typeof id === 'string' && id.trim() !== '' ? id.trim() : `q${index + 1}`,
    prompt: String(prompt ?? question ?? '').slice(0, textLimit),
    ...(strings.length === 0 ? {} : {options: strings}),
  };
  return questionSchema.safeParse(candidate).success ? [candidate] : [];
}

/** The same question twice is one; another question with the same id gets a number. */
function freeId(id: string, taken: ReadonlyMap<string, Question>): string | null {
  if (!taken.has(id)) return id;
  for (let number = 2; number <= questionLimit; number++) {
    if (!taken.has(`${id}-${number}`)) return `${id}-${number}`;
  }
  return null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Prose, as most messages are.
    return null;
  }
}
