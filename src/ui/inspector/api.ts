/** The server's response; null for 404. Throws if the server is gone. */
export async function ask<T>(path: string): Promise<T | null> {
  const response = await fetch(path);
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}

export const pathOf = (...parts: readonly string[]): string => parts.map(encodeURIComponent).join('/');
