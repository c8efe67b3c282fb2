/** The styles of a phone: the build puts them into a file of their own, which only narrow windows wait for. */
import '../../packages/kit/src/phone.css';
import './styles/phone.css';
