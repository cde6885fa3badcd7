// A floor of tui.mjs: nothing but Ink, which draws a screen of lines anew at each key.
import {Box, render, Text, useInput} from 'ink';
import {createElement, useState} from 'react';

render(createElement(Screen));

function Screen() {
  const [shown, show] = useState('ready');
  useInput((key) => show(key));
  const lines = Array.from({length: 38}, (_, row) =>
    createElement(Text, {key: row}, `${shown} in row ${row} of a screen of ordinary lines`),
  );
  return createElement(Box, {flexDirection: 'column'}, ...lines);
}
