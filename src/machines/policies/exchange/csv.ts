/** Rows of comma-separated values: quotes may contain commas, line breaks and doubled quotes. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  let wasQuoted = false;
  const endCell = () => {
    row.push(cell);
    cell = '';
    wasQuoted = false;
  };
  const endRow = () => {
    endCell();
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  };
  const source = text.replace(/^\ufeff/, '');
  for (let index = 0; index < source.length; index++) {
    const character = source[index] as string;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (source[index + 1] === '"') {
        cell += '"';
        index++;
      } else isQuoted = false;
    } else if (character === '"' && cell === '' && !wasQuoted) {
      isQuoted = true;
      wasQuoted = true;
    } else if (character === ',') endCell();
    else if (character === '\n') endRow();
    else if (character !== '\r' || source[index + 1] !== '\n') cell += character;
  }
  if (cell !== '' || row.length > 0) endRow();
  return rows;
}

export function csvLine(cells: readonly string[]): string {
  return cells.map(csvCell).join(',');
}

/** Text that a spreadsheet would run as a formula gets an apostrophe in front, which `readCell` removes. */
function csvCell(text: string): string {
  const inert = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]|^\s|\s$/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

export const readCell = (text: string): string => (/^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text);
