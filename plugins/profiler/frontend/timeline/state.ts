/** What the timeline shows, and what the user has set of it. */
import { computed, effect, signal, untracked } from '@preact/signals';
import { codecs, message, Page, type Setting } from '@insight-host/kit';
import type { ProfilerParts } from '../board';
import { holds } from '../address';
import type { BriefSlice, SliceAnswer, StepInfo, TracksAnswer } from './answers';
import { closedAtFirst, layoutOf, NO_ROWS, type Row } from './layout';
import { Search } from './search';
import { around, covers, lengthOf, type Range, type Span, within } from './span';

const NOTHING: Span = { from: 0, to: 1 };
const READABLE = 12; // px that a slice is wide at least for people to see it

/** A slice and where it is; while a profile is being read its number changes, its place does not. */
export interface Chosen extends BriefSlice {
  readonly version: number;
}

export class TimelineState {
  /** It ends with the view, before the tab does. */
  readonly page: Page;
  readonly color: Setting<'name' | 'category'>;
  readonly isFull: Setting<boolean>;
  readonly window: Setting<Span | null>;
  readonly search: Search;

  readonly tracks = signal<TracksAnswer | null>(null);
  /** Everything about the chosen slice, once it is there. */
  readonly slice = signal<SliceAnswer | null>(null);
  readonly sliceError = signal<string | null>(null);
  readonly hasArrows = signal(true);
  /** A stretch that is being chosen. */
  readonly draft = signal<Range | null>(null);
  readonly dialog = signal<'perfetto' | null>(null);
  /** px of the picture. */
  readonly width = signal(1000);
  /** Scroll target of the rows: the slice to show. */
  readonly revealed = signal<{ readonly track: number; readonly depth: number } | null>(null);

  constructor(readonly board: ProfilerParts) {
    const page = (this.page = new Page(board.page.ctx));
    this.color = page.setting('color', codecs.choice<'name' | 'category'>(['name', 'category'], 'name'));
    this.isFull = page.setting('full', codecs.flag(false));
    this.window = page.settled(board.window, 300);
    const find = page.setting('find', codecs.text, 250);
    this.search = new Search(this, find, page.setting('find-regex', codecs.flag(false)));
    page.until(this.followProfile());
    page.until(this.followSlice());
    page.until(this.followSteps());
    page.until(() => this.search.dispose());
  }

  readonly whole = computed<Span>(() => {
    const { value } = this.tracks;
    return value && value.duration > 0 ? { from: 0, to: value.duration } : NOTHING;
  });
  readonly span = computed<Span>(() => within(this.window.value ?? this.whole.value, this.whole.value));
  /** Groups and tracks that are closed: the address names those that are not as they were at first. */
  readonly closed = computed<ReadonlySet<string>>(() => this.turned(this.board.closed.value));
  readonly layout = computed(() => (this.tracks.value ? layoutOf(this.tracks.value, this.closed.value) : NO_ROWS));
  /** What of the time counts; null: all. */
  readonly stepSpan = computed<Span | null>(() => {
    const range = this.board.steps.value;
    const chosen = range ? (this.tracks.value?.steps ?? []).filter(({ number }) => holds(range, number)) : [];
    return chosen.length > 0
      ? {
          from: Math.min(...chosen.map(({ start }) => start)),
          to: Math.max(...chosen.map(({ start, duration }) => start + duration)),
        }
      : null;
  });
  /** What a summary, a file and Perfetto are about. */
  readonly subject = computed<Range>(() => this.board.range.value ?? { ...this.span.value, tracks: null });
  readonly chosenId = computed<number | null>(() => {
    const id = this.board.slice.value === null ? NaN : Number(this.board.slice.value);
    return Number.isSafeInteger(id) && id >= 0 ? id : null;
  });

  look(span: Span): void {
    const { value: whole } = this.whole;
    const next = within(span, whole);
    this.window.set(covers(next, whole) ? null : next);
  }

  fit(): void {
    const { value: slice } = this.slice;
    const span = this.board.range.value ?? (slice ? around(slice.start, slice.duration, this.whole.value, 1.4) : null);
    if (span) this.look({ from: span.from, to: span.to });
  }

  /** Keys of what is closed, of those that are not as at first, and the other way around. */
  private turned(keys: Iterable<string>): ReadonlySet<string> {
    const found = new Set(closedAtFirst(this.tracks.value?.tracks ?? []));
    for (const key of keys) if (!found.delete(key)) found.add(key);
    return found;
  }

  private close(keys: Iterable<string>): void {
    this.board.closed.set([...this.turned(keys)]);
  }

  turn({ key, isOpen }: Row): void {
    const { value: closed } = this.closed;
    this.close(isOpen ? [...closed, key] : [...closed].filter((one) => one !== key));
  }

  turnAll(isOpen: boolean): void {
    const { value: tracks } = this.tracks;
    if (!tracks) return;
    this.close(
      isOpen
        ? []
        : layoutOf(tracks, new Set())
            .rows.filter(({ kind }) => kind === 'group')
            .map(({ key }) => key),
    );
  }

  /** One step alone, the one before or after those that are. */
  stepBy(by: number): void {
    const steps = this.tracks.value?.steps ?? [];
    const range = this.board.steps.value;
    const place = steps.findIndex(({ number }) => range !== null && number === (by > 0 ? range.last : range.first));
    const next = steps[place < 0 ? (by > 0 ? 0 : steps.length - 1) : place + by];
    if (next) this.board.navigation.chooseStep(next.number, false, true);
  }

  stepAt(time: number): StepInfo | null {
    return this.tracks.value?.steps.find(({ start, duration }) => start <= time && start + duration > time) ?? null;
  }

  /** Shows a slice that may be anywhere. */
  choose(slice: Pick<BriefSlice, 'id' | 'track' | 'depth' | 'start' | 'duration'> | null, isSeen = false): void {
    this.board.slice.set(slice ? String(slice.id) : null);
    if (slice && !isSeen) this.reveal(slice);
  }

  reveal({ track, depth, start, duration }: Pick<BriefSlice, 'track' | 'depth' | 'start' | 'duration'>): void {
    const { value: layout } = this.layout;
    const group = this.tracks.value?.tracks.find(({ id }) => id === track);
    const row = layout.rowOf.get(track);
    const keys = [`t${track}`, `g${group?.parent ?? track}`];
    const isHidden = row && (row.kind === 'group' || depth >= row.levels);
    if (isHidden) this.close([...this.closed.value].filter((key) => !keys.includes(key)));
    const { value: span } = this.span;
    const wide = (duration / lengthOf(span)) * this.width.value;
    const isInside = start < span.to && start + duration > span.from;
    if (!isInside || wide < READABLE) this.look(around(start, duration, this.whole.value, 8));
    this.revealed.value = { track, depth };
  }

  /** Tracks of the profile in front, requested again when more of it was read. */
  private followProfile(): () => void {
    let shown = '';
    let stop = new AbortController();
    const end = effect(() => {
      const { value: profile } = this.board.profiles.profile;
      const { value: query } = this.board.profiles.query;
      if (!profile || profile.state === 'failed' || !this.page.visible.value || !profile.views.includes('timeline'))
        return;
      const key = JSON.stringify([query, profile.version, profile.complete, this.attempt.value]);
      if (key === shown) return;
      stop.abort();
      const own = (stop = new AbortController());
      untracked(() => void this.loadTracks(query, own.signal).then((found) => found && (shown = key)));
    });
    return () => {
      end();
      stop.abort();
    };
  }

  readonly tracksError = signal<string | null>(null);
  private readonly attempt = signal(0);
  private shownQuery = '';

  retry(): void {
    if (this.tracksError.value !== null) this.attempt.value++;
  }

  private async loadTracks(query: Readonly<Record<string, string>>, stop: AbortSignal): Promise<boolean> {
    try {
      const answer = await this.page.ctx.data.json<TracksAnswer>('tracks', query, { signal: stop });
      if (stop.aborted) return false;
      const name = JSON.stringify(query);
      const { value: before } = this.tracks;
      if (this.shownQuery !== '' && this.shownQuery !== name) this.board.navigation.forget();
      else if (before) this.stay(before, answer);
      this.shownQuery = name;
      this.tracks.value = answer;
      this.tracksError.value = null;
      return true;
    } catch (error) {
      if (!stop.aborted) this.tracksError.value = message(error);
      return false;
    }
  }

  /** When something earlier was found, zero is elsewhere: what is looked at stays in sight. */
  private stay(before: TracksAnswer, now: TracksAnswer): void {
    const shift = Number(BigInt(before.start_ns) - BigInt(now.start_ns));
    const moved = <T extends Span>(span: T): T => ({ ...span, from: span.from + shift, to: span.to + shift });
    if (shift !== 0 && this.window.value) this.window.set(moved(this.window.value));
    if (shift !== 0 && this.board.range.value) this.board.range.set(moved(this.board.range.value));
    const { value: slice } = this.slice;
    if (slice && slice.version !== now.version) void this.findAgain({ ...slice, start: slice.start + shift });
  }

  /** Numbers of slices change while a profile is being read. */
  private async findAgain({ track, start, duration, depth }: Chosen): Promise<void> {
    const query = {
      ...this.board.profiles.query.peek(),
      from: start,
      to: start + Math.max(1, duration),
      width: 10_000,
      tracks: String(track),
    };
    try {
      const answer = await this.page.ctx.data.columns('slices', query, { signal: this.page.ctx.signal });
      const [starts, depths, ids] = [answer.column('start'), answer.column('depth'), answer.column('id')];
      const at = Array.from(starts, Number).findIndex((begin, i) => begin === start && depths[i] === depth);
      this.board.slice.set(at < 0 ? null : String(ids[at]));
    } catch {
      // the panel says what is wrong when it asks for the slice itself
    }
  }

  /** A slice of which no more is known; an address may lead to one too. */
  chooseId(id: number): void {
    this.leads = true;
    this.board.slice.set(String(id));
  }
  private leads = false;

  private followSlice(): () => void {
    let stop = new AbortController();
    let isFirst = true;
    const end = effect(() => {
      const { value: id } = this.chosenId;
      const version = this.tracks.value?.version;
      const { value: query } = this.board.profiles.query;
      stop.abort();
      this.sliceError.value = null;
      if (id === null || version === undefined) {
        if (id === null) this.slice.value = null;
        isFirst &&= id !== null;
        return;
      }
      const own = (stop = new AbortController());
      const leads = isFirst;
      isFirst = false;
      this.page.ctx.data.json<SliceAnswer>('slice', { ...query, id }, { signal: own.signal }).then(
        (answer) => {
          if (own.signal.aborted) return;
          this.slice.value = answer;
          if (leads || this.leads) untracked(() => this.reveal(answer));
          this.leads = false;
        },
        (error: unknown) => {
          if (own.signal.aborted) return;
          this.slice.value = null;
          this.sliceError.value = message(error);
        },
      );
    });
    return () => {
      end();
      stop.abort();
    };
  }

  /** Steps that are chosen anywhere come into sight; those of the address do not take the place of its window. */
  private followSteps(): () => void {
    let before =
      this.window.peek() === null && this.chosenId.peek() === null ? '' : JSON.stringify(this.board.steps.peek());
    return effect(() => {
      const { value: span } = this.stepSpan;
      const now = JSON.stringify(this.board.steps.value);
      if (!this.tracks.value || now === before) return;
      before = now;
      if (span)
        untracked(() => this.look({ from: span.from - lengthOf(span) * 0.05, to: span.to + lengthOf(span) * 0.05 }));
    });
  }
}
