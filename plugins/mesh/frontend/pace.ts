/** Points or triangles of a picture; a processor that stands in for a graphics card draws fewer. */
const LIMITS = {
  card: { rest: Infinity, quick: 2_000_000 },
  software: { rest: 300_000, quick: 40_000 },
} as const;
const FEWEST = 4_000;
const SLOW = 30; // ms of a picture while the camera moves
const BACK = 1.5; // times more at the next move

/** How much of a shape is drawn, by how long pictures take. */
export class Pace {
  private quick: number;

  constructor(private readonly kind: keyof typeof LIMITS) {
    this.quick = LIMITS[kind].quick;
  }

  /** Points of a picture that stays; triangles are all drawn. */
  get atRest(): number {
    return LIMITS[this.kind].rest;
  }

  /** Points or triangles of a picture while the camera moves. */
  get moving(): number {
    return this.quick;
  }

  /** A picture of `drawn` points or triangles took so many ms. Only less is drawn until the camera rests. */
  moved(drawn: number, ms: number): void {
    if (ms > SLOW) this.quick = Math.max(FEWEST, Math.min(this.quick, drawn) * Math.max(0.25, SLOW / ms));
  }

  rested(): void {
    this.quick = Math.min(LIMITS[this.kind].quick, this.quick * BACK);
  }
}
