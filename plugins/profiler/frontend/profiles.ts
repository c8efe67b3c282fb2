import { computed, effect, type ReadonlySignal as Live, signal, untracked } from '@preact/signals';
import type { Run } from '@insight-host/api';
import { codecs, message, type Page, type Setting } from '@insight-host/kit';
import type { Side } from './answers/operators';
import type { ProfileAnswer, ProfileInfo, ProfileKey } from './answers/profile';

const POLL = 500; // ms between two looks at a profile that is being read
const REST = 1000; // ms between two questions while data change

export const same = (a: ProfileKey | null | undefined, b: ProfileKey | null | undefined): boolean =>
  !!a && !!b && a.run === b.run && a.profile === b.profile;

export const keyOf = ({ run, profile }: ProfileKey): string => `${run}\n${profile}`;

/** A profile that the address names. */
class Named {
  private readonly run: Setting<string | null>;
  private readonly path: Setting<string | null>;
  readonly key = computed<ProfileKey | null>(() =>
    this.run.value !== null && this.path.value !== null ? { run: this.run.value, profile: this.path.value } : null,
  );

  constructor(page: Page, run: string, path: string) {
    this.run = page.setting(run, codecs.name);
    this.path = page.setting(path, codecs.name);
  }

  set(key: ProfileKey | null, how?: 'push'): void {
    this.run.set(key?.run ?? null, how);
    this.path.set(key?.profile ?? null);
  }
}

/** The profiles that there are, the one in front as far as it is read, and the one that it is compared with. */
export class Profiles {
  readonly listing = signal<readonly ProfileInfo[] | null>(null);
  readonly listFailure = signal<string | null>(null);
  /** The profile in front, as far as it is read; null until the first answer. */
  readonly profile = signal<ProfileAnswer | null>(null);
  /** Why the host says nothing about it. */
  readonly failure = signal<string | null>(null);
  /** Where operators of the profile ran. */
  readonly sides = signal<readonly Side[]>([]);
  /** Medians of steps (ns) of profiles that have answered, by `keyOf`. */
  readonly stepTimes = signal<ReadonlyMap<string, number>>(new Map());
  /** Of the run that the run panel chooses. */
  private readonly wanted: Setting<string | null>;
  readonly wantedBase: Named;

  private listTimer: ReturnType<typeof setTimeout> | undefined;
  private pollTimer: ReturnType<typeof setTimeout> | undefined;
  private lastList = 0;
  private looks = 0;
  private asked: ProfileKey | null = null;

  constructor(private readonly page: Page) {
    page.linkedRun('run');
    this.wanted = page.setting('profile', codecs.name);
    this.wantedBase = new Named(page, 'base-run', 'base');
    page.onChange(page.ctx.changes, () => this.scheduleList());
    page.until(
      effect(() => {
        if (page.visible.value) untracked(() => void this.loadList());
      }),
    );
    page.until(
      effect(() => {
        const { value: chosen } = this.chosen;
        if (page.visible.value) untracked(() => this.look(chosen));
      }),
    );
    page.until(() => {
      clearTimeout(this.listTimer);
      clearTimeout(this.pollTimer);
    });
  }

  /** Profiles of the runs that match the filter, newest first. */
  readonly listed = computed<readonly ProfileInfo[]>(() => {
    const selected = new Set(this.page.runs.value.map(({ name }) => name));
    return (this.listing.value ?? []).filter(({ run }) => selected.has(run));
  });

  /** All runs with profiles: that of the profile in front, whose place no newer one takes, then those of the newest. */
  readonly runs = computed<readonly Pick<Run, 'name'>[]>(() => {
    const names = (this.listing.value ?? []).map(({ run }) => run);
    return [...new Set(this.asked && names.includes(this.asked.run) ? [this.asked.run, ...names] : names)].map(
      (name) => ({ name }),
    );
  });
  /** Profiles of the run that the run panel chooses, newest first. */
  readonly own = computed<readonly ProfileInfo[]>(() => {
    const having = new Set(this.listed.value.map(({ run }) => run));
    const one = this.page.oneOf(this.runs.value.filter(({ name }) => having.has(name)));
    return this.listed.value.filter(({ run }) => run === one?.name);
  });
  /** That of the address, where the run has it; else its newest. */
  readonly chosenInfo: Live<ProfileInfo | null> = computed(
    () =>
      this.own.value.find(({ profile }) => profile === this.wanted.value) ??
      // a rank without a profile of its own, of an analysis of all ranks
      this.own.value.find(
        ({ source, profile }) => source === 'cluster' && this.wanted.value?.startsWith(`${profile}#`),
      ) ??
      this.own.value.find((profile) => same(profile, this.asked)) ?? // a newer one takes nobody's place
      this.own.value[0] ??
      null,
  );
  readonly chosen: Live<ProfileKey | null> = this.chosenInfo;

  /** What names the profile in every question. */
  readonly query = computed<{ readonly run: string; readonly profile: string }>(() => ({
    run: this.profile.value?.run ?? '',
    profile: this.profile.value?.profile ?? '',
  }));
  readonly base = computed<ProfileInfo | null>(
    () => this.listing.value?.find((profile) => same(profile, this.wantedBase.key.value)) ?? null,
  );

  /** Brings a profile to the front, and its run in the run panel. */
  show({ run, profile }: ProfileKey): void {
    this.page.ctx.runs.one.set(run, 'push');
    this.wanted.set(profile, 'push');
  }

  private scheduleList(): void {
    if (!this.page.visible.peek()) return;
    this.listTimer ??= setTimeout(
      () => {
        this.listTimer = undefined;
        void this.loadList();
        this.look(this.chosen.peek()); // its files may have changed
      },
      Math.max(0, REST - (Date.now() - this.lastList)),
    );
  }

  async loadList(): Promise<void> {
    try {
      const { profiles } = await this.page.ctx.data.json<{ readonly profiles: readonly ProfileInfo[] }>(
        'profiles',
        {},
        { signal: this.page.ctx.signal },
      );
      this.listing.value = profiles;
      this.listFailure.value = null;
    } catch (error) {
      if (!this.page.ctx.signal.aborted) this.listFailure.value = message(error);
    } finally {
      this.lastList = Date.now();
    }
  }

  /** Asks how far a profile is read, which starts reading, and again until it is. */
  private look(key: ProfileKey | null): void {
    clearTimeout(this.pollTimer);
    const mine = ++this.looks;
    if (!key) {
      this.profile.value = null;
      return;
    }
    if (!same(this.asked, key)) {
      this.failure.value = null;
      this.sides.value = [];
    }
    this.asked = key;
    const ask = async (): Promise<void> => {
      try {
        const answer = await this.ask(key, this.page.ctx.signal);
        if (mine !== this.looks) return;
        this.profile.value = answer;
        this.keep(answer);
        this.failure.value = null;
        if (answer.state !== 'reading') return;
      } catch (error) {
        if (this.page.ctx.signal.aborted || mine !== this.looks) return;
        this.failure.value = message(error);
        if (!same(this.profile.peek(), key)) this.profile.value = null;
      }
      if (this.page.visible.peek())
        this.pollTimer = setTimeout(() => void ask(), this.failure.peek() === null ? POLL : 4 * POLL);
    };
    void ask();
  }

  /** How far a profile is read; asking starts that. */
  ask({ run, profile }: ProfileKey, signal: AbortSignal): Promise<ProfileAnswer> {
    return this.page.ctx.data.json<ProfileAnswer>('profile', { run, profile }, { signal });
  }

  /** Remembers how long the steps of a profile take: the run panel says it. */
  keep(answer: ProfileAnswer): void {
    const { step_time: time, complete } = answer;
    if (!complete || !time || this.stepTimes.peek().get(keyOf(answer)) === time) return;
    this.stepTimes.value = new Map([...this.stepTimes.peek(), [keyOf(answer), time]]);
  }

  retry(): void {
    void this.loadList();
    this.look(this.chosen.peek());
  }
}
