import type {Adapter} from 'lowdb';
import {AppError, messageOf} from '../contracts/errors.ts';
import {removeLeftovers, writeDurably} from './durable-write.ts';
import {corrupt, writeFailure} from './store-errors.ts';
import {parseJson, readWholeFile} from './whole-file.ts';

export type DurableFileOptions<T> = {
  readonly file: string;
  /** The kind of file, for messages: "plan", "run record". */
  readonly what: string;
  /** Turns JSON into the value; throws if it is invalid. */
  readonly parse: (json: unknown, text: string) => T;
  /** The text of a value, given the text it replaces. */
  readonly render: (value: T, previous: string | null) => string;
  /** A fast path for a large file: its new bytes, given the old ones; null if it has to be rendered. */
  readonly splice?: (value: T, previous: Buffer) => Buffer | null;
  readonly maxBytes: number;
  /** A file of the user's, not a private one: it keeps its mode, and the umask decides for a new one. */
  readonly keepMode?: boolean;
  /** The owner of the folder has already removed leftovers of dead writers. */
  readonly isFolderSwept?: boolean;
};

/**
 * The lowdb adapter of every store. A write that resolved survives a power cut; an unreadable file is reported and
 * never replaced.
 */
export class DurableFile<T> implements Adapter<T> {
  readonly #options: DurableFileOptions<T>;
  /** The content of the file, as read or written. */
  #content: string | Buffer | null = null;
  /** Leftovers come from earlier processes, so they are looked for once. */
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
