import type {Adapter} from 'lowdb';
import {AppError, messageOf} from '../contracts/errors.ts';
import {removeLeftovers, writeDurably} from './durable-write.ts';
import {corrupt, writeFailure} from './store-errors.ts';
import {parseJson, readWholeFile} from './whole-file.ts';

export type DurableFileOptions<T> = {
  readonly file: string;
  /** What the file is, for messages: "plan", "run record". */
  readonly what: string;
  /** Turns checked JSON into the value; throws what is wrong with it. */
  readonly parse: (json: unknown, text: string) => T;
  /** The text of a value, given the text it replaces. */
  readonly render: (value: T, previous: string | null) => string;
  /** The quick way for a large file: its bytes, given those it replaces; null when it has to be rendered. */
  readonly splice?: (value: T, previous: Buffer) => Buffer | null;
  readonly maxBytes: number;
  /** Keep the mode an existing file has, instead of making it private. */
  readonly keepMode?: boolean;
  /** Whoever owns the folder has removed what dead writers left in it. */
  readonly isFolderSwept?: boolean;
};

/**
 * The lowdb adapter of every store. What `write` has acknowledged survives a power cut; a file that cannot
 * be read is reported and never replaced.
 */
export class DurableFile<T> implements Adapter<T> {
  readonly #options: DurableFileOptions<T>;
  /** What is in the file, as it was read or written. */
  #content: string | Buffer | null = null;
  /** Leftovers are those of an earlier process, so they are looked for once. */
  #mayHaveLeftovers: boolean;

  constructor(options: DurableFileOptions<T>) {
    this.#options = options;
    this.#mayHaveLeftovers = options.isFolderSwept !== true;
  }

  async read(): Promise<T | null> {
    const {file, what, parse, maxBytes} = this.#options;
    this.#content = null;
    const text = readWholeFile(file, what, maxBytes);
    if (text === null) return null;
    try {
      const value = parse(parseJson(text), text);
      this.#content = text;
      return value;
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw corrupt(file, what, messageOf(error));
    }
  }

  async write(value: T): Promise<void> {
    const {file, what, keepMode = false} = this.#options;
    const content = this.#contentOf(value);
    try {
      if (this.#mayHaveLeftovers) removeLeftovers(file);
      this.#mayHaveLeftovers = false;
      await writeDurably(file, content, {keepMode});
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw writeFailure(file, what, error);
    }
    this.#content = content;
  }

  #contentOf(value: T): Buffer {
    const {splice, render} = this.#options;
    const previous = this.#content;
    const spliced = splice && previous !== null ? splice(value, bytesOf(previous)) : null;
    return spliced ?? Buffer.from(render(value, previous?.toString() ?? null));
  }
}

const bytesOf = (content: string | Buffer): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : content;
