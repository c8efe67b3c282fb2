/**
 * The base of the kit with what `@insight-host/kit` does not promise of it: other rooms of the kit and our own tabs are
 * made of it, and any release may change it. It is in the same file as the kit.
 */
export * from './base';
export { changed } from './base/card_key';
export { fontsCame } from './base/fonts';
export { rove, useTabWithin } from './base/keys';
export { isExpression, SLOW, tagFilter } from './base/groups';
export { FINGER, isPhone } from './base/phone';
export { menuItems } from './base/popover';
export { SeriesClock, Spaced } from './base/requests';
export { multiples, picked, said, spliced, wholeOf } from './base/numbers';
export * from './base/scrolling';
export { addStylesFirst } from './base/tab';
