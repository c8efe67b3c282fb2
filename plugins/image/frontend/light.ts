/** Brightness and contrast in per cent; 100 leaves a picture as it is. */
export interface Light {
  readonly brightness: number;
  readonly contrast: number;
}

export const PLAIN: Light = { brightness: 100, contrast: 100 };
export const MOST_LIGHT = 300;

/** The CSS filter; empty when nothing changes. */
export function filterOf({ brightness, contrast }: Light): string {
  const parts: string[] = [];
  if (brightness !== 100) parts.push(`brightness(${brightness}%)`);
  if (contrast !== 100) parts.push(`contrast(${contrast}%)`);
  return parts.join(' ');
}

export function sameLight(a: Light, b: Light): boolean {
  return a.brightness === b.brightness && a.contrast === b.contrast;
}

/** As the URL says it: `120,100`. */
export function lightText({ brightness, contrast }: Light): string {
  return `${brightness},${contrast}`;
}

export function parseLight(text: string): Light | null {
  const [brightness = NaN, contrast = NaN] = text.split(',').map(Number);
  const known = [brightness, contrast].every((value) => value >= 0 && value <= MOST_LIGHT);
  return known ? { brightness, contrast } : null;
}
