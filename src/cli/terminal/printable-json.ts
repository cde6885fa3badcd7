/**
 * JSON for printing. Characters that control a terminal or reorder a line are escaped, which keeps the value;
 * `JSON.stringify` escapes only the first 32.
 */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
