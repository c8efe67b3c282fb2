/** A picture as a list of marks: painted on a canvas for the screen, written as SVG for a file. */
import { visibleText } from '@insight-host/kit';
import { paintPath, type Picture, type Rectangle, type TextMark } from './mark_types';

export * from './mark_types';

const FONT_SIZE = 11;
const LETTER = 0.58; // of the font size: the width of a letter, about

/** Pixels, about; a letter of Chinese or Japanese is as wide as it is high. */
export function textWidth(text: string): number {
  let width = 0;
  for (const letter of text) width += letter >= '\u2e80' ? 1 : LETTER;
  return width * FONT_SIZE;
}

/** Those of the texts that lie on none before them. */
export function apart(texts: readonly TextMark[]): readonly TextMark[] {
  const taken: { readonly left: number; readonly right: number; readonly y: number }[] = [];
  return texts.filter(({ x, y, text, anchor }) => {
    const width = textWidth(text);
    const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
    const box = { left: left - 2, right: left + width + 2, y };
    if (
      taken.some((other) => Math.abs(other.y - y) < FONT_SIZE + 1 && box.left < other.right && other.left < box.right)
    )
      return false;
    taken.push(box);
    return true;
  });
}

export function paint(
  canvas: HTMLCanvasElement,
  { width, height, marks }: Picture,
  ratio: number,
  font: string,
  background?: string,
): void {
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(ratio, ratio);
  if (background) {
    context.fillStyle = background;
    context.fillRect(0, 0, width, height);
  }
  context.font = `${FONT_SIZE}px ${font}`;
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineCap = 'round';
  for (const mark of marks) {
    if (mark.kind === 'image') context.drawImage(mark.image, 0, 0, mark.width, mark.height);
    else if (mark.kind === 'text') {
      context.fillStyle = mark.color;
      context.textAlign = mark.anchor === 'middle' ? 'center' : mark.anchor;
      context.fillText(visibleText(mark.text), mark.x, mark.y);
    } else paintPath(context, mark);
  }
}

const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd');

/** A file; `pictures` side by side where there are several. */
export function toSVG(
  pictures: readonly { readonly picture: Picture; readonly left: number; readonly top: number }[],
  title: string,
  font: string,
  background: string,
): string {
  const width = Math.max(...pictures.map(({ picture, left }) => left + picture.width));
  const height = Math.max(...pictures.map(({ picture, top }) => top + picture.height));
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}" font-family="${escaped(font)}" font-size="${FONT_SIZE}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${escaped(background)}"/>`,
  ];
  let clips = 0;
  for (const { picture, left, top } of pictures) {
    const known = new Map<Rectangle, string>();
    const clipOf = (clip: Rectangle): string => {
      const id = known.get(clip) ?? `clip${clips++}`;
      if (!known.has(clip))
        parts.push(
          `<clipPath id="${id}"><rect x="${clip.left}" y="${clip.top}" width="${clip.width}" ` +
            `height="${clip.height}"/></clipPath>`,
        );
      known.set(clip, id);
      return ` clip-path="url(#${id})"`;
    };
    parts.push(`<g transform="translate(${left} ${top})">`);
    for (const mark of picture.marks) {
      if (mark.kind === 'image')
        parts.push(
          `<image width="${mark.width}" height="${mark.height}" href="${mark.image.toDataURL('image/png')}"/>`,
        );
      else if (mark.kind === 'text')
        parts.push(
          `<text x="${mark.x}" y="${mark.y}" fill="${escaped(mark.color)}" text-anchor="${mark.anchor}" ` +
            `dominant-baseline="central">${escaped(mark.text)}</text>`,
        );
      else {
        const clip = mark.clip ? clipOf(mark.clip) : '';
        const opacity = mark.opacity === undefined ? '' : ` opacity="${mark.opacity}"`;
        const stroke = mark.stroke
          ? ` stroke="${escaped(mark.stroke)}" stroke-width="${mark.width ?? 1}" stroke-linejoin="round" ` +
            `stroke-linecap="round"`
          : '';
        parts.push(
          `<path d="${mark.d}" fill="${mark.fill ? escaped(mark.fill) : 'none'}" ` +
            `fill-rule="evenodd"${stroke}${opacity}${clip}/>`,
        );
      }
    }
    parts.push('</g>');
  }
  return [...parts, '</svg>'].join('\n');
}

/** The same pictures as one canvas, `ratio` pixels for each of theirs. */
export function toCanvas(
  pictures: readonly { readonly picture: Picture; readonly left: number; readonly top: number }[],
  ratio: number,
  font: string,
  background: string,
): HTMLCanvasElement {
  const whole = document.createElement('canvas');
  whole.width = Math.ceil(Math.max(...pictures.map(({ picture, left }) => left + picture.width)) * ratio);
  whole.height = Math.ceil(Math.max(...pictures.map(({ picture, top }) => top + picture.height)) * ratio);
  const context = whole.getContext('2d');
  for (const { picture, left, top } of pictures) {
    const one = document.createElement('canvas');
    paint(one, picture, ratio, font, background);
    context?.drawImage(one, Math.round(left * ratio), Math.round(top * ratio));
  }
  return whole;
}
