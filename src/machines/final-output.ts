/** For machines whose final states have outputs of their own: the machine's is that of the one it ended in. */
export function finalOutput<Output>({event}: {event: {readonly output: unknown}}): Output {
  return event.output as Output;
}
