/** Round numbers of an axis from zero. */
export function ticksTo(highest: number, count: number): readonly number[] {
  if (!(highest > 0)) return [0];
  const rough = highest / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough - 1e-12 * power) ?? 10) * power;
  const ticks: number[] = [];
  for (let i = 0; i * step <= highest * (1 + 1e-9); i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

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
