/** What is typed before a question is visible is not an answer to it. Leaves the terminal in raw mode. */
export async function typedBefore(stdin: NodeJS.ReadStream): Promise<string> {
  if (!stdin.isTTY) return '';
  let typed = '';
  const collect = () => {
    for (let chunk = stdin.read(); chunk !== null; chunk = stdin.read()) typed += String(chunk);
  };
  stdin.setRawMode(true);
  stdin.on('readable', collect);
  await new Promise((resolve) => setTimeout(resolve, 20));
  stdin.off('readable', collect);
  return typed;
}
