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

  /** As much of a text as fits, '' when that would say nothing. */
  fitting(context: CanvasRenderingContext2D, text: string, room: number): string {
    const width = this.widthOf(context, text);
    if (width <= room) return text;
    let letters = Math.floor((text.length * room) / width) - 1;
    while (letters > 1 && this.widthOf(context, `${text.slice(0, letters)}…`) > room) letters--;
    return letters < 2 ? '' : `${text.slice(0, letters)}…`;
  }
}
