/** What the kit promises of its base: the state of a tab and of its cards, controls, texts. */
export { isAway, Latest, statusOf, useAnswer, type Answer, type Asked, type AskOptions, type Failure } from './ask';
export { cardCodec, cardId, PerCard, sameCard, type CardKey } from './card_key';
export * from './card_parts';
export { fitBitmap, NO_PIXELS, pixelsOf, useChart, watchPixels, type Chart, type PixelSize } from './chart';
export * from './choice';
export * as codecs from './codecs';
export * from './colors';
export * from './controls';
export * from './drag';
export * from './files';
export { byName, type CardGroup } from './groups';
export * from './icons';
export { addKeys, announce, arrowOf, boardKeys, focusOn, onCard, type Key } from './keys';
export { evenTicks, exactAt, floats, niceStep, WHOLE_DIGITS, type XKind } from './numbers';
export * from './page';
export {
  Dialog,
  Menu,
  Popover,
  Tooltip,
  type DialogProps,
  type MenuItem,
  type MenuProps,
  type PopoverProps,
  type TooltipProps,
} from './popover';
export { portions, RequestQueue } from './requests';
export { searcher, type Searcher } from './search';
export { addStyles, tab, type TabProps } from './tab';
export { Tags, type ChangedSeries, type SeriesChoice } from './tags';
export * from './texts';
export { ToolbarLine, type ToolbarLineProps } from './toolbar';
