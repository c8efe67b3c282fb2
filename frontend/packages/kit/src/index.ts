/** Components shared by the built-in tabs; see README.md. */
export * from './announce';
export * from './as_table';
export * from './byte_cache';
export * from './card';
export * from './card_alone';
export * from './card_answer';
export * from './card_grid';
export * from './card_list';
export * from './card_parts';
export * from './cards';
export * from './choice';
export * as codecs from './codecs';
export * from './colors';
export * from './columns';
export * from './content';
export * from './controls';
export * from './copy';
export * from './csv';
export * from './dialog';
export * from './drag';
export * from './error_cell';
export * from './filter';
export * from './frame';
export * from './full_screen';
export * from './groups';
export * from './pattern';
export * from './icons';
export * from './keys';
export * from './latest';
export * from './menu';
export * from './page';
export * from './per_card';
export * from './pictures';
export * from './pixels';
export * from './place';
export * from './playback';
export * from './popover';
export * from './records';
export * from './requests';
export * from './rounding';
export * from './roving';
export * from './scrolling';
export * from './series_clock';
export * from './size';
export * from './spaced';
export * from './stands';
export * from './step_messages';
export * from './step_parts';
export * from './step_slider';
export * from './step_tools';
export * from './steps';
export * from './styles';
export * from './tab';
export * from './tab_within';
export * from './tag_filter';
export * from './tags';
export * from './texts';
export * from './use_chart';
export * from './visible_text';

import cards from './cards.css?inline';
import steps from './steps.css?inline';

/** CSS text of cards. */
export const cardStyles: string = cards;

/** CSS text of step sliders. */
export const stepStyles: string = steps;
