/** Names that the last release promised: they are in `@insight-host/kit/lab` now; the next one drops them here. */
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  Latest,
} from './latest';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  RequestQueue,
} from './requests';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  SeriesClock,
} from './series_clock';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  Spaced,
} from './spaced';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  linesInSight,
} from './scrolling';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  multiples,
} from './rounding';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  rove,
} from './roving';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  showing,
} from './scrolling';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  useSize,
} from './size';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  useTabWithin,
} from './tab_within';
