/**
 * Parts of the kit and our own tabs beneath what `@insight-host/kit` promises: any release may change them. It is in
 * the same file as the kit.
 */
export { picked, said, spliced, wholeOf } from './columns';
export { isExpression, splitName, tagFilter, UNSUPPORTED } from './groups';
export { Latest, type Answer, type Failure } from './latest';
export { menuItems } from './menu';
export { UnsupportedPattern } from './pattern';
export { changed } from './per_card';
export { RequestQueue } from './requests';
export { multiples } from './rounding';
export { rove } from './roving';
export * from './scrolling';
export * from './series_clock';
export * from './size';
export * from './spaced';
export { addStylesFirst } from './styles';
export { useTabWithin } from './tab_within';
