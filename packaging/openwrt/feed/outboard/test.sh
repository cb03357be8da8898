#!/bin/sh
# Called by the tests of OpenWrt's feeds with the name and the version of a package.
case "$1" in
	outboard | outboard-lab) "$1" --version | grep -F "$2" ;;
	libopenssl-outboard) openssl list -providers -provider outboard | grep -i outboard ;;
esac
