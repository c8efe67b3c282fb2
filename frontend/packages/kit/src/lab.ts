/**
 * The base of the kit with what `@insight-host/kit` does not promise of it: other rooms of the kit and our own tabs are made
 * of it, and any release may change it. It is in the same file as the kit.
 */
export * from './base';
export { useAnswer, type AskOptions } from './base/ask';
export { picked, said, spliced, wholeOf } from './base/columns';
export { isExpression, SLOW, splitName, tagFilter } from './base/groups';
export { Latest, type Answer, type Failure } from './base/latest';
export { menuItems } from './base/menu';
export { changed } from './base/per_card';
export { RequestQueue } from './base/requests';
export { multiples } from './base/rounding';
export { rove } from './base/roving';
export * from './base/scrolling';
export * from './base/series_clock';
export * from './base/size';
export * from './base/spaced';
export { addStylesFirst } from './base/styles';
export { useTabWithin } from './base/tab_within';
