/** A text cut to about `width` pixels. */
export function shortened(text: string, width: number, size = 11): string {
  const wide = (letter: string): number => (letter > '\u2e80' ? size : size * 0.56);
  let room = width;
  const letters = [...text];
  for (let i = 0; i < letters.length; i++) {
    room -= wide(letters[i] as string);
    if (room < 0) return `${letters.slice(0, Math.max(1, i - 1)).join('')}…`;
  }
  return text;
}
