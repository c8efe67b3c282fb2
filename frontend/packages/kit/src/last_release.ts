/** Names that the last release promised: they are in `@insight-host/kit/lab` now; the next one drops them here. */
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  SeriesClock,
} from './base/requests';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  Spaced,
} from './base/requests';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  linesInSight,
} from './base/scrolling';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  multiples,
} from './base/numbers';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  rove,
} from './base/keys';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  showing,
} from './base/scrolling';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  useSize,
} from './base/scrolling';
export {
  /** @deprecated Import it from `@insight-host/kit/lab`, which may change. */
  useTabWithin,
} from './base/keys';
