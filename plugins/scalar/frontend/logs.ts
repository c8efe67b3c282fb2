import { codecs, type Page, type Setting } from '@insight-host/kit';
import { changed } from '@insight-host/kit/lab';
import { logFlags, type LogFlags } from './codecs';
import type { Zooms } from './zooms';

/** Logarithmic axes: of all cards, and of those that have their own. */
export class Logs {
  readonly x: Setting<boolean>;
  readonly y: Setting<boolean>;
  private readonly own: Setting<ReadonlyMap<string, LogFlags>>;

  constructor(
    page: Page,
    private readonly zooms: Zooms,
  ) {
    this.x = page.setting('logx', codecs.flag(false));
    this.y = page.setting('logy', codecs.flag(false));
    this.own = page.setting('log', logFlags);
  }

  of(tag: string): LogFlags {
    return this.own.value.get(tag) ?? { x: this.x.value, y: this.y.value };
  }

  set(tag: string, flags: LogFlags): void {
    const same = flags.x === this.x.value && flags.y === this.y.value;
    this.own.set(changed(this.own.value, tag, same ? null : flags));
    if (flags.x && this.zooms.of(tag).x) this.zooms.reset(tag);
  }
}
