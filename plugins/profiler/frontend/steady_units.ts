import { codecs, type Page, type Setting } from '@insight-host/kit';
import type { Profiles } from './profiles';
import { TIME_UNITS, unitOf, type TimeUnit } from './units';

/** The unit of times: the one that the user chose, or one that suits each table. */
export class SteadyUnits {
  readonly chosen: Setting<TimeUnit | 'auto'>;
  private readonly known = new Map<string, TimeUnit>();

  constructor(
    page: Page,
    private readonly profiles: Profiles,
  ) {
    this.chosen = page.setting('unit', codecs.choice<TimeUnit | 'auto'>(TIME_UNITS, 'auto'));
  }

  /** One unit for a table while a profile is looked at, whatever it is sorted by: that which suited `ns` first. */
  of(table: string, ns: number | null): TimeUnit {
    const { value: chosen } = this.chosen;
    if (chosen !== 'auto') return chosen;
    const key = JSON.stringify([this.profiles.query.value, table]);
    const known = this.known.get(key);
    if (known || ns === null) return known ?? 'ms';
    const unit = unitOf(ns);
    if (this.profiles.profile.value?.complete) this.known.set(key, unit);
    return unit;
  }
}
