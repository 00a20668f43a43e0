import { renderToString } from 'react-dom/server';
import { inStrictMode } from './app.jsx';

export const render = (props) => renderToString(inStrictMode(props));
