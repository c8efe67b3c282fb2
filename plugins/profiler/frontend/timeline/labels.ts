/** Names upon bars, cut to the room that there is. */

const KEPT = 20_000;

export class Labels {
  private readonly widths = new Map<string, number>();

  /** px that a text is wide in the font of the context. */
  widthOf(context: CanvasRenderingContext2D, text: string): number {
    const known = this.widths.get(text);
    if (known !== undefined) return known;
    if (this.widths.size >= KEPT) this.widths.clear();
    const width = context.measureText(text).width;
    this.widths.set(text, width);
    return width;
  }

  /** As much of a text as fits, without the name spaces before it if need be; '' when that would say nothing. */
  fitting(context: CanvasRenderingContext2D, text: string, room: number): string {
    if (this.widthOf(context, text) <= room) return text;
    const short = ownName(text);
    const width = this.widthOf(context, short);
    if (width <= room) return short;
    let letters = Math.floor((short.length * room) / width) - 1;
    while (letters > 1 && this.widthOf(context, `${short.slice(0, letters)}…`) > room) letters--;
    return letters < 2 ? '' : `${short.slice(0, letters)}…`;
  }
}

/** `empty` of `aten::empty`, `Linear` of `torch/nn/Linear`; what stands in brackets stays. */
export function ownName(text: string): string {
  const bracket = /[<([]/.exec(text.slice(1))?.index;
  const head = bracket === undefined ? text : text.slice(0, bracket + 1);
  const at = Math.max(
    ...['::', '/', ': '].map((mark) => (head.includes(mark) ? head.lastIndexOf(mark) + mark.length : 0)),
  );
  return at < text.length ? text.slice(at) : text;
}
